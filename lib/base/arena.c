#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/pages.h"

enum {
	FIRST_BLOCK = 1024,
	LARGEST_STEP = 1024 * 1024, /* of an arena that is not large */
	LARGE = 8 * 1024 * 1024
};

struct arena_block {
	struct arena_block *next;
	size_t size; /* of bytes[] */
	char bytes[];
};

struct arena arena_limited(size_t max, const char *limit)
{
	return (struct arena){.max = max, .limit = limit};
}

static void free_blocks(struct arena_block *block)
{
	while (block != NULL) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
}

void arena_free(struct arena *a)
{
	free_blocks(a->first);
	*a = arena_limited(a->max, a->limit);
}

static void use(struct arena *a, struct arena_block *block)
{
	a->last = block;
	a->at = block->bytes;
	a->end = block->bytes + block->size;
}

void arena_reset(struct arena *a)
{
	struct arena_block *largest = a->first;
	struct arena_block *next;

	a->failed = false;
	if (largest == NULL)
		return;
	if (largest->next == NULL) {
		use(a, largest);
		return;
	}
	for (struct arena_block *b = a->first; b != NULL; b = b->next)
		if (b->size > largest->size)
			largest = b;
	for (struct arena_block *b = a->first; b != NULL; b = next) {
		next = b->next;
		if (b != largest)
			free(b);
	}
	largest->next = NULL;
	a->first = largest;
	a->used = largest->size;
	use(a, largest);
}

void arena_drop_before(struct arena *a, const void *p)
{
	struct arena_block *block = a->first;
	uintptr_t at = (uintptr_t)p;

	while (block != a->last &&
	       at - (uintptr_t)block->bytes >= block->size) {
		a->first = block->next;
		a->used -= block->size;
		free(block);
		block = a->first;
	}
}

/* A block of so many bytes, in no list yet; NULL if that fails. */
static struct arena_block *new_block(struct arena *a, size_t size)
{
	struct arena_block *block;

	a->full = a->used > a->max || size > a->max - a->used;
	block = a->full ? NULL : pages_alloc(sizeof(*block) + size);
	if (block == NULL)
		return NULL;
	block->next = NULL;
	block->size = size;
	a->used += size;
	return block;
}

/* Append a block with room for n bytes; NULL if that fails. */
static struct arena_block *add_block(struct arena *a, size_t n)
{
	size_t size = a->last == NULL ? FIRST_BLOCK : a->last->size * 2;
	struct arena_block *block;

	if (size > LARGEST_STEP)
		size = a->used < LARGE ? LARGEST_STEP : LARGE - sizeof(*block);
	if (size > a->max - a->used && n < size)
		size = LARGEST_STEP;
	if (n > SIZE_MAX / 2)
		return NULL;
	if (size < n)
		size = (n + 7) & ~(size_t)7; /* its own block */
	block = new_block(a, size);
	if (block == NULL)
		return NULL;
	if (a->last == NULL)
		a->first = block;
	else
		a->last->next = block;
	return block;
}

void *arena_grow(struct arena *a, size_t n)
{
	struct arena_block *block = add_block(a, n);

	a->failed |= block == NULL;
	if (block == NULL)
		return NULL;
	use(a, block);
	return arena_alloc(a, n);
}

/* The place that points to the block of p if p is alone in it; else NULL. */
static struct arena_block **own_block(struct arena *a, const void *p, size_t n)
{
	struct arena_block **at = &a->first;

	if (n < LARGEST_STEP)
		return NULL;
	while (*at != NULL && (*at)->bytes != p)
		at = &(*at)->next;
	return *at != NULL && (*at)->size - n < 8 ? at : NULL;
}

/* Give the block at a place, which is that of one array, room for n bytes. */
static void *widen_block(struct arena *a, struct arena_block **at, size_t n)
{
	struct arena_block *old = *at;
	bool last = old == a->last;
	size_t more = ((n + 7) & ~(size_t)7) - old->size;
	struct arena_block *block;

	a->full = a->used > a->max || more > a->max - a->used;
	block = a->full ? NULL : realloc(old, sizeof(*old) + old->size + more);
	if (block == NULL) {
		a->failed = true;
		return NULL;
	}
	block->size += more;
	a->used += more;
	*at = block;
	if (last) {
		use(a, block);
		a->at = a->end;
	}
	return block->bytes;
}

/* Is there room behind the array at p, being what was allocated last? */
static bool can_extend(const struct arena *a, const char *p, size_t had,
		       size_t n)
{
	return had > 0 && p + ((had + 7) & ~(size_t)7) == a->at &&
	       n <= (size_t)(a->end - p) &&
	       ((n + 7) & ~(size_t)7) <= (size_t)(a->end - p);
}

/* n bytes in a block of their own, ahead of the one in use, so that they can
 * grow without a copy. */
static void *alloc_apart(struct arena *a, size_t n)
{
	struct arena_block *block = NULL;

	if (n <= SIZE_MAX / 2)
		block = new_block(a, (n + 7) & ~(size_t)7);
	a->failed |= block == NULL;
	if (block == NULL)
		return NULL;
	block->next = a->first;
	a->first = block;
	return block->bytes;
}

void *arena_widen(struct arena *a, void *p, size_t had, size_t n)
{
	struct arena_block **own;
	void *wider;

	if (can_extend(a, p, had, n)) {
		arena_shrink(a, p, n);
		return p;
	}
	own = own_block(a, p, had);
	if (own != NULL && n < SIZE_MAX / 2 && n > (*own)->size)
		return widen_block(a, own, n);
	wider = n >= LARGEST_STEP && a->last != NULL ? alloc_apart(a, n)
						     : arena_alloc(a, n);
	if (wider != NULL && had > 0)
		memcpy(wider, p, had);
	return wider;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t n;
	void *p;

	if (__builtin_mul_overflow(count, size, &n))
		return NULL;
	p = arena_alloc(a, n);
	if (p != NULL)
		memset(p, 0, n);
	return p;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (p == NULL)
		return str_make(NULL, 0);
	if (s.n > 0)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return str_make(p, s.n);
}
