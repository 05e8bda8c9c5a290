/*
 * A program's output: standard output, or a file that appears atomically, even
 * if a signal ends the program.
 */
#ifndef OBS_CMD_OUTPUT_H
#define OBS_CMD_OUTPUT_H

#include <stdbool.h>

#include "base/io.h"

struct output {
	struct out_file file; /* write to file.out */
	bool is_stdout;
};

/* Die with a usage error if writing to path would replace the input, or one of
 * n. */
void output_check(const char *path, const char *input);
void output_check_all(const char *path, size_t n, char *const *inputs);

/* path NULL, "-" or "/dev/stdout" is standard output. Failure ends the
 * program. */
void output_open(struct output *output, const char *path);

/* The same, but a failure is returned: for one output of several. */
int output_try(struct output *output, const char *path, struct err *err);

/* Flush and put the file in place; a failure ends the program with
 * STATUS_IO. */
void output_close(struct output *output);

/* The same for an output of output_try; a failure to put the file in place is
 * returned. */
int output_finish(struct output *output, struct err *err);

/* Discard the file. What was written to standard output stays. */
void output_drop(struct output *output);

#endif
