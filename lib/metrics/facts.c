#include "metrics/facts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

struct facts facts_new(void)
{
	return (struct facts){.by_key = map_new(true)};
}

void facts_free(struct facts *f)
{
	free(f->v);
	map_free(&f->by_key);
	*f = facts_new();
}

void facts_clear(struct facts *f)
{
	f->n = 0;
	map_clear(&f->by_key);
}

struct fact *facts_find(const struct facts *f, uint64_t key)
{
	uint32_t i;

	return map_find(&f->by_key, key, &i) && !f->v[i].settled ? &f->v[i]
								 : NULL;
}

struct fact *facts_open(struct facts *f, uint64_t key, bool *fresh)
{
	uint32_t i = f->n;
	int code = map_add(&f->by_key, key, &i);

	*fresh = code == 1;
	if (code == 0)
		return &f->v[i];
	if (code < 0 || !ARRAY_GROW(f->v, f->n, f->cap))
		return NULL;
	f->v[f->n] = (struct fact){.key = key};
	return &f->v[f->n++];
}
