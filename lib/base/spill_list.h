/*
 * Lists of records of one size that may be larger than memory should be: what
 * passes a budget that lists share goes to unlinked temporary files, which are
 * mapped, so that records are reached in the same way wherever they are.
 *
 * Pages of a mapped file count as memory while they are in use. They are given
 * back by spill_list_trim, which loops over long lists call now and then, and as
 * a list grows. When no file can be made, records stay in memory.
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

/* What lists share: how much of them is in memory, and may be. */
struct spill {
	size_t limit, used;
	uint64_t files; /* that were made */
};

struct spill_list {
	char *v; /* owned */
	size_t n;
	size_t size;	    /* of a record */
	size_t ready, room; /* for this many: until the next trim, in all */
	int fd;		    /* of the file, which is mapped at v; -1 */
	bool in_file;
	struct spill *spill;
};

struct spill_list spill_list_new(size_t size, struct spill *spill);
void spill_list_free(struct spill_list *r); /* it is empty then */

/* Make room for one more; false when memory ran out. */
bool spill_list_grow(struct spill_list *r);

/* Room for a record at the end, to be filled; NULL when memory ran out. */
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

/* Give back the memory of records that are in a file. */
void spill_list_trim(const struct spill_list *r);

typedef int spill_list_compare(const void *x, const void *y,
			       const void *context);

/* Sort; equal records keep their order. 0 or ERR_MEMORY. */
int spill_list_sort(struct spill_list *r, spill_list_compare *compare,
		    const void *context, struct err *err);

#endif
