#include "rollout/straggler_ranks.h"

#include <math.h>
#include <stdlib.h>

typedef int compare(const void *, const void *);

bool straggler_ranks_init(struct straggler_ranks *ranks, size_t most)
{
	ranks->most = most;
	ranks->last.v = calloc(most + 1, sizeof(*ranks->last.v));
	ranks->longest.v = calloc(most + 1, sizeof(*ranks->longest.v));
	return ranks->last.v != NULL && ranks->longest.v != NULL;
}

void straggler_ranks_free(struct straggler_ranks *ranks)
{
	free(ranks->last.v);
	free(ranks->longest.v);
}

static int compare_places(const void *x, const void *y)
{
	const struct straggler *a = x;
	const struct straggler *b = y;
	int order = str_cmp(a->dump, b->dump);

	return order != 0 ? order
			  : (a->place > b->place) - (a->place < b->place);
}

/* Ends later, or else is longer. */
static int compare_ends(const void *x, const void *y)
{
	const struct straggler *a = x;
	const struct straggler *b = y;

	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	return compare_places(a, b);
}

/* Is longer, or else ends later. */
static int compare_durations(const void *x, const void *y)
{
	const struct straggler *a = x;
	const struct straggler *b = y;

	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	return compare_ends(a, b);
}

static bool reaches(const struct straggler_rank *rank, size_t most,
		    compare *order, const struct straggler *one)
{
	return rank->n < most ||
	       (most > 0 && order(one, &rank->v[most - 1]) < 0);
}

bool straggler_ranks_reach(const struct straggler_ranks *ranks,
			   const struct straggler *one)
{
	return reaches(&ranks->last, ranks->most, compare_ends, one) ||
	       reaches(&ranks->longest, ranks->most, compare_durations, one);
}

/* Insert it in order; the one past the end is dropped. */
static void insert(struct straggler_rank *rank, size_t most, compare *order,
		   const struct straggler *one)
{
	struct straggler *v = rank->v;
	size_t at = rank->n;

	while (at > 0 && order(one, &v[at - 1]) < 0)
		at--;
	if (at == most || (at > 0 && order(one, &v[at - 1]) == 0))
		return;
	memmove(&v[at + 1], &v[at], (rank->n - at) * sizeof(*v));
	v[at] = *one;
	if (rank->n < most)
		rank->n++;
}

void straggler_ranks_add(struct straggler_ranks *ranks,
			 const struct straggler *one)
{
	insert(&ranks->last, ranks->most, compare_ends, one);
	insert(&ranks->longest, ranks->most, compare_durations, one);
}

/* Merge duplicates; returns how many are left. */
static size_t unite(struct straggler *all, size_t n)
{
	size_t kept = 0;

	qsort(all, n, sizeof(*all), compare_ends);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || compare_ends(&all[kept - 1], &all[i]) != 0) {
			all[kept++] = all[i];
			continue;
		}
		all[kept - 1].last = fmax(all[kept - 1].last, all[i].last);
		all[kept - 1].longest =
			fmax(all[kept - 1].longest, all[i].longest);
	}
	return kept;
}

struct straggler *straggler_ranks_join(const struct straggler_ranks *ranks,
				       size_t *count)
{
	const struct straggler_rank *last = &ranks->last;
	const struct straggler_rank *longest = &ranks->longest;
	struct straggler *all = calloc(last->n + longest->n + 1, sizeof(*all));
	size_t n = 0;

	if (all == NULL)
		return NULL;
	for (size_t i = 0; i < last->n; i++) {
		all[n] = last->v[i];
		all[n].longest = (double)NAN;
		all[n++].last = (double)(i + 1);
	}
	for (size_t i = 0; i < longest->n; i++) {
		all[n] = longest->v[i];
		all[n].last = (double)NAN;
		all[n++].longest = (double)(i + 1);
	}
	*count = unite(all, n);
	return all;
}
