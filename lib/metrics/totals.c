#include "metrics/totals.h"

#include <stdlib.h>

#include "base/array.h"

struct totals totals_new(void)
{
	return (struct totals){.by_key = map_new(true)};
}

void totals_clear(struct totals *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->v[i]);
	t->n = 0;
	map_clear(&t->by_key);
}

void totals_free(struct totals *t)
{
	totals_clear(t);
	free(t->v);
	map_free(&t->by_key);
	*t = totals_new();
}

struct split *totals_find(const struct totals *t, uint64_t key)
{
	uint32_t i;

	return map_find(&t->by_key, key, &i) ? t->v[i] : NULL;
}

struct split *totals_open(struct totals *t, uint64_t key)
{
	struct split *split = totals_find(t, key);
	uint32_t i = t->n;

	if (split != NULL)
		return split;
	split = ARRAY_GROW(t->v, t->n, t->cap) ? calloc(1, sizeof(*split))
					       : NULL;
	if (split == NULL)
		return NULL;
	t->v[t->n++] = split;
	split->key = key;
	return map_add(&t->by_key, key, &i) < 0 ? NULL : split;
}
