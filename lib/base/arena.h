/*
 * Arenas: allocate many small things, free them all at once.
 *
 * Memory lives until arena_reset (which keeps the memory for the next sample,
 * row or snapshot) or arena_free. Nothing is freed individually. All pointers
 * are aligned for any scalar type. An arena refuses to grow past its ceiling;
 * an allocation that fails returns NULL, and arena_error has the reason.
 */
#ifndef OBS_BASE_ARENA_H
#define OBS_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *first; /* all blocks, the one in use last */
	struct arena_block *last;
	char *at;	   /* next free byte of the block in use */
	char *end;	   /* end of the block in use */
	size_t used;	   /* bytes held from the system */
	size_t max;	   /* ceiling on used */
	const char *limit; /* what the ceiling is called, for messages */
	bool full;	   /* the last block would have exceeded max */
	bool failed;	   /* an allocation failed since the last reset: callers
			    * that keep many strings check once, at the end */
};

/* An empty arena with a ceiling. Pass a constant of base/limits.h by name: the
 * name is used in messages. */
#define arena_new(max) arena_limited((max), #max)
struct arena arena_limited(size_t max, const char *limit);
void arena_free(struct arena *a);

/* Forget everything; the largest block is kept, the others are freed. */
void arena_reset(struct arena *a);

/* Free the blocks before that of p, as nothing allocated earlier is needed any
 * more. Not for an arena with widened arrays, whose blocks are not in order. */
void arena_drop_before(struct arena *a, const void *p);

/* The slow path of arena_alloc: a new block. */
void *arena_grow(struct arena *a, size_t n);

/* n bytes, not cleared. */
static inline void *arena_alloc(struct arena *a, size_t n)
{
	size_t rounded = (n + 7) & ~(size_t)7;
	void *p = a->at;

	if (rounded < n || rounded > (size_t)(a->end - a->at) || p == NULL)
		return arena_grow(a, n);
	a->at += rounded;
	return p;
}

/* Of the allocation made last, which is at p, keep the first n bytes only. */
static inline void arena_shrink(struct arena *a, void *p, size_t n)
{
	a->at = (char *)p + ((n + 7) & ~(size_t)7);
}

/* The array at p, of had bytes, with room for n, which are more: p is valid no
 * longer. The last one and a large one are not copied: no waste is left. */
void *arena_widen(struct arena *a, void *p, size_t had, size_t n);

/* count elements of size bytes, cleared; NULL if the product overflows. */
void *arena_array(struct arena *a, size_t count, size_t size);

/* The reason an allocation returned NULL: ERR_LIMIT or ERR_MEMORY. */
static inline int arena_error(const struct arena *a, struct err *err)
{
	return a->full ? err_limit(err, a->max, a->limit) : err_memory(err);
}

/* A copy of s in the arena, with a NUL after it; p is NULL on failure. */
struct str arena_str(struct arena *a, struct str s);

#endif
