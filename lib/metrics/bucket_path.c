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

bool bucket_bound(struct bucket_paths *p, const struct prom_label *le,
		  double *bound)
{
	uint64_t hash = prom_label_hash(le);
	struct bucket_bound *known = &p->bounds[hash & 255];

	if (known->le != hash || hash == 0) {
		if (!prom_bound(le->value, bound))
			return false;
		*known = (struct bucket_bound){.le = hash, .bound = *bound};
	}
	*bound = known->bound;
	return true;
}

static int add_end(struct bucket_paths *p, const struct bucket_path_end *end)
{
	p->ends = array_room(p->ends, &p->cap, p->n, sizeof(*p->ends));
	if (p->n == p->cap)
		return ERR_MEMORY;
	p->ends[p->n++] = *end;
	return 0;
}

/* The end behind `from` that was not the last one taken. */
static int find_step(struct bucket_paths *p, uint32_t from, double bound,
		     const struct prom_label *le, uint32_t *to)
{
	struct bucket_path_end end = {.bound = bound, .before = from};
	int code;

	*to = p->n;
	end.le = prom_label_hash(le);
	code = map_add(&p->steps, hash_mix((uint64_t)from + 1, end.le), to);
	if (code == 1)
		code = add_end(p, &end);
	if (code < 0)
		return code;
	p->ends[from].after = *to;
	return 0;
}

int bucket_path_step(struct bucket_paths *p, uint32_t *end, double bound,
		     const struct prom_label *le)
{
	uint32_t from = *end;
	uint32_t to;

	if (p->n == 0 && add_end(p, &(struct bucket_path_end){0}) < 0)
		return ERR_MEMORY;
	if (from != PATH_START && !(bound > p->ends[from].bound))
		return 0;
	to = p->ends[from].after;
	if ((to == PATH_START || p->ends[to].le != prom_label_hash(le)) &&
	    find_step(p, from, bound, le, &to) < 0)
		return ERR_MEMORY;
	*end = to;
	return 1;
}
