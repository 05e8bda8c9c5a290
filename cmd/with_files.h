/*
 * What --with names: files, the files of directories, those that a pattern
 * matches; each may have a name for the worker whose log it is.
 */
#ifndef OBS_CMD_WITH_FILES_H
#define OBS_CMD_WITH_FILES_H

#include <stdbool.h>

#include "base/err.h"
#include "options.h"

struct with_file {
	char *path;
	char *worker; /* NULL: not known */
	char *folder; /* it stood in, of one that was named by its folder; or
		       * NULL */
	bool listed;  /* found in a directory: one of another kind is none */
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
