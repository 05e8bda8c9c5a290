/*
 * Files that are given more than once: read twice, their data would count
 * twice.
 */
#ifndef OBS_CMD_REPEATS_H
#define OBS_CMD_REPEATS_H

#include <stdbool.h>

#include "base/map.h"

struct repeats {
	struct map files; /* zero-initialised, it is empty */
};

/* Was this regular file passed before, by any name? That is reported. */
bool repeats_has(struct repeats *repeats, const char *path);
void repeats_free(struct repeats *repeats);

/* Remove repeated files from the names; how many names are left. */
int repeats_drop(int count, char **names);

#endif
