/*
 * Lists of fixed-size records that may outgrow memory: beyond a budget shared
 * by all lists, records go to unlinked temporary files, which are mapped, so
 * access is the same either way.
 *
 * Pages of a mapped file count as memory while they are in use. They are
 * released by spill_list_trim, which loops over long lists call now and then,
 * and as a list grows. If no file can be created, records stay in memory.
 *
 *	struct spill spill = {.limit = 64 * MIB};
 *	struct spill_list list = spill_list_new(sizeof(struct event), &spill);
 *	struct event *e = spill_list_add(&list);
 */
#ifndef OBS_BASE_SPILL_LIST_H
#define OBS_BASE_SPILL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The shared budget: memory in use and the maximum. */
struct spill {
	size_t limit, used;
	uint64_t files; /* files created */
};

struct spill_list {
	char *v; /* owned */
	size_t n;
	size_t size;	    /* of one record */
	size_t ready, room; /* capacity: until the next trim, in total */
	int fd;		    /* of the file mapped at v; -1 */
	bool in_file;
	struct spill *spill;
};

struct spill_list spill_list_new(size_t size, struct spill *spill);
void spill_list_free(struct spill_list *r); /* the list is then empty */

/* Make room for one more; false if out of memory. */
bool spill_list_grow(struct spill_list *r);

/* Append a record to be filled; NULL if out of memory. */
static inline void *spill_list_add(struct spill_list *r)
{
	if (r->n == r->ready && !spill_list_grow(r))
		return NULL;
	return r->v + r->n++ * r->size;
}

static inline void *spill_list_at(const struct spill_list *r, size_t i)
{
	return r->v + i * r->size;
}

/* Release the memory of records that are in a file. */
void spill_list_trim(const struct spill_list *r);

typedef int spill_list_compare(const void *x, const void *y,
			       const void *context);

/* Stable sort. 0 or ERR_MEMORY. */
int spill_list_sort(struct spill_list *r, spill_list_compare *compare,
		    const void *context, struct err *err);

#endif
