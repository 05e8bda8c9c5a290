/*
 * How to rewrite names, and which families are wanted.
 *
 * Names here are NUL-terminated for fnmatch(3); a glob is tried on the name
 * before and after rewriting.
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

/* The rewritten name, in the arena; p is NULL if out of memory. */
struct str naming_apply(const struct naming *how, struct arena *a,
			struct str source);

/* Is the family with this name wanted? */
bool naming_wants(const struct naming *how, struct str source, struct str name);

/* Does one of the n globs match? */
bool naming_matches(const char *const *globs, size_t n, struct str source,
		    struct str name);

#endif
