#include "metrics/cohorts.h"

#include <stdlib.h>

#include "base/array.h"

/* By cohort, in order of appearance. */
static int by_kin(const void *a, const void *b)
{
	const struct watch *x = *(struct watch *const *)a;
	const struct watch *y = *(struct watch *const *)b;

	if (x->now.kin != y->now.kin)
		return x->now.kin < y->now.kin ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Those of this snapshot, by cohort; NULL if out of memory. */
static struct watch **present(struct watch *const *watches, uint32_t all,
			      uint32_t *n)
{
	struct watch **there = calloc((size_t)all + 1, sizeof(*there));

	*n = 0;
	for (uint32_t i = 0; there != NULL && i < all; i++) {
		watches[i]->number = i;
		if (watch_silence(watches[i]) == 0)
			there[(*n)++] = watches[i];
	}
	if (there != NULL)
		qsort(there, *n, sizeof(struct watch *), by_kin);
	return there;
}

static int with_kin(const void *key, const void *cohort)
{
	uint64_t x = *(const uint64_t *)key;
	uint64_t y = ((const struct cohort *)cohort)->kin;

	return (x > y) - (x < y);
}

const struct cohort *cohorts_find(const struct cohorts *cohorts,
				  const struct watch *w)
{
	if (cohorts->n == 0)
		return NULL;
	return bsearch(&w->now.kin, cohorts->v, cohorts->n, sizeof(*cohorts->v),
		       with_kin);
}

int cohorts_compare(struct cohorts *cohorts, struct watch *const *watches,
		    uint32_t all, double time,
		    const struct alarm_limits *limits, struct err *err)
{
	uint32_t n, end;
	struct watch **there = present(watches, all, &n);
	int code = there == NULL ? err_memory(err) : 0;

	for (uint32_t i = 0; code == 0 && i < n; i = end) {
		struct cohort f = {.kin = there[i]->now.kin,
				   .time = time,
				   .limits = limits};

		for (end = i; end < n && there[end]->now.kin == f.kin;)
			end++;
		if (!ARRAY_GROW(cohorts->v, cohorts->n, cohorts->cap))
			code = err_memory(err);
		else
			code = cohort_compare(&f, there + i, end - i, err);
		if (code == 0)
			cohorts->v[cohorts->n++] = f;
	}
	free(there);
	return code;
}

void cohorts_free(struct cohorts *cohorts)
{
	free(cohorts->v);
	*cohorts = (struct cohorts){0};
}
