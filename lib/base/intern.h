/*
 * Interned strings: each distinct run of bytes gets a number, counted from 0
 * in order of first appearance, so tables hold numbers and each text is stored
 * once.
 *
 * The table owns copies of the text; what intern_text returns lives until
 * intern_free. Open addressing, at most half full.
 */
#ifndef OBS_BASE_INTERN_H
#define OBS_BASE_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

#define INTERN_FAILED UINT32_MAX

struct intern_slot {
	uint32_t entry; /* number + 1, 0 when free */
	uint32_t hash;	/* of its text */
};

struct intern {
	struct arena text;
	struct str *entries; /* by number */
	struct intern_slot *slots;
	uint32_t count;
	uint32_t cap; /* slots, a power of two; entries has half as many */
};

/* An empty table whose text takes at most max bytes; the argument is named as
 * in arena_new. */
#define intern_new(max) intern_limited((max), #max)
struct intern intern_limited(size_t max, const char *limit);
void intern_free(struct intern *t);

/* The number of s, a new one if s is new; INTERN_FAILED on failure (see
 * intern_error). */
uint32_t intern_add(struct intern *t, struct str s);

/* ERR_LIMIT or ERR_MEMORY */
static inline int intern_error(const struct intern *t, struct err *err)
{
	return arena_error(&t->text, err);
}

/* Look up without adding; INTERN_FAILED if s is not in the table. */
uint32_t intern_find(const struct intern *t, struct str s);

static inline struct str intern_text(const struct intern *t, uint32_t number)
{
	return t->entries[number];
}

#endif
