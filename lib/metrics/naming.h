/*
 * How names are rewritten, and which families are wanted.
 *
 * Names that pass through here end in NUL, because globs are fnmatch(3)'s; a
 * glob is tried on the name as it came and as it is written.
 */
#ifndef OBS_METRICS_NAMING_H
#define OBS_METRICS_NAMING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

struct naming {
	const char *strip_prefix;  /* NULL: none */
	const char *prefix;	   /* NULL: none */
	const char *const *select; /* n_select globs; none: all */
	const char *const *drop;
	size_t n_select;
	size_t n_drop;
	bool sanitize; /* ':' becomes '_' */
};

/* The name as it is written, in the arena; p is NULL when memory ran out. */
struct str naming_apply(const struct naming *how, struct arena *a,
			struct str source);

/* Is the family of this name wanted? */
bool naming_wants(const struct naming *how, struct str source, struct str name);

/* Does one of the n globs match? */
bool naming_matches(const char *const *globs, size_t n, struct str source,
		    struct str name);

#endif
