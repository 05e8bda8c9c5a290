/*
 * Where a program's result goes: standard output, or a file that appears
 * whole or not at all, also when a signal ends the program.
 */
#ifndef OBS_CMD_OUTPUT_H
#define OBS_CMD_OUTPUT_H

#include <stdbool.h>

#include "base/io.h"

struct output {
	struct out_file file; /* write to file.out */
	bool is_stdout;
};

/* path NULL, "-" or "/dev/stdout" is standard output. Ends the program on failure. */
void output_open(struct output *output, const char *path);

/* The same, but a failure is returned: for one output of several. */
int output_try(struct output *output, const char *path, struct err *err);

/* Write what is left and put the file in place; a failure ends the program
 * with STATUS_IO. */
void output_close(struct output *output);

/* The same for what output_try opened; a failure to put the file in place is
 * returned. */
int output_finish(struct output *output, struct err *err);

/* Give up: the file does not appear. What standard output has, it has. */
void output_drop(struct output *output);

#endif
