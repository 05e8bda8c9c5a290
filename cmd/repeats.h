/*
 * Files that are given more than once: read twice, their data would count
 * twice.
 */
#ifndef OBS_CMD_REPEATS_H
#define OBS_CMD_REPEATS_H

#include <stdbool.h>

#include "base/map.h"
#include "base/str.h"
#include "options.h"

struct repeats {
	struct map files; /* zero-initialised, it is empty */
};

/* Was this regular file, or directory, passed before, by any name? That is
 * reported. */
bool repeats_has(struct repeats *repeats, const char *path);

/* The same of a file whose data get these labels: with other labels it is
 * another input. */
bool repeats_has_labelled(struct repeats *repeats, const char *path,
			  struct str labels);
void repeats_free(struct repeats *repeats);

/* Remove repeated files from the names; how many names are left. */
int repeats_drop(int count, char **names);

/* The same of an option that may be repeated. */
void repeats_drop_listed(struct opt_list *list);

#endif
