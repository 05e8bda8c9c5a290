/* Finds the end of a JSON value by its brackets and quotes alone. */
#ifndef OBS_FMT_FILE_BRACKETS_H
#define OBS_FMT_FILE_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>

/* Scanner state, for values that arrive in pieces. */
struct brackets {
	size_t depth;
	bool in_string, escaped;
};

/* Past the end of a string or a container; NULL if it is not in these bytes. */
const char *brackets_end(struct brackets *b, const char *p, const char *end);

#endif
