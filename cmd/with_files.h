/*
 * The files of --with: files, files in directories, and those matching a
 * pattern; each may be given a name for the worker whose log it is.
 */
#ifndef OBS_CMD_WITH_FILES_H
#define OBS_CMD_WITH_FILES_H

#include <stdbool.h>

#include "base/err.h"
#include "options.h"

struct with_file {
	char *path;
	char *worker; /* NULL: unknown */
	char *folder; /* its folder, if named after that; or NULL */
	bool listed;  /* found in a directory: another kind is ignored */
	size_t given; /* which of the options named it */
	bool ignored; /* set by the reader: it was of another kind */
};

struct with_files {
	struct with_file *v;
	size_t n, cap;
};

/* The path of WORKER=PATH, or of PATH. */
const char *with_path(const char *text);

/* List the files. 0 or an error with its source. */
int with_files_list(struct with_files *files, const struct opt_list *given,
		    struct err *err);
void with_files_free(struct with_files *files);

#endif
