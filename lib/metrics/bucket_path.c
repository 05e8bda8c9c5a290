#include "metrics/bucket_path.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "fmt/prom/prom_text.h"

struct bucket_paths bucket_paths_new(void)
{
	return (struct bucket_paths){.steps = map_new(true)};
}

void bucket_paths_free(struct bucket_paths *p)
{
	free(p->ends);
	map_free(&p->steps);
	*p = bucket_paths_new();
}

void bucket_paths_clear(struct bucket_paths *p)
{
	p->n = 0;
	map_clear(&p->steps);
}

bool bucket_bound_read(struct bucket_paths *p, const struct prom_label *le,
		       double *bound)
{
	uint64_t hash = prom_label_hash(le);

	if (!prom_bound(le->value, bound))
		return false;
	p->bounds[hash & 255] =
		(struct bucket_bound){.le = hash, .bound = *bound};
	return true;
}

static int add_end(struct bucket_paths *p, const struct bucket_path_end *end)
{
	if (!ARRAY_GROW(p->ends, p->n, p->cap))
		return ERR_MEMORY;
	p->ends[p->n++] = *end;
	return 0;
}

int bucket_path_turn(struct bucket_paths *p, uint32_t *end, double bound,
		     const struct prom_label *le)
{
	struct bucket_path_end step = {
		.bound = bound, .le = prom_label_hash(le), .before = *end};
	uint32_t to;
	int code;

	if (p->n == 0 && add_end(p, &(struct bucket_path_end){0}) < 0)
		return ERR_MEMORY;
	if (*end != PATH_START && !(bound > p->ends[*end].bound))
		return 0;
	to = p->n;
	code = map_add(&p->steps, hash_mix((uint64_t)*end + 1, step.le), &to);
	if (code == 1)
		code = add_end(p, &step);
	if (code < 0)
		return code;
	p->ends[*end].after = to;
	*end = to;
	return 1;
}
