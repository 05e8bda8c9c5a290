#include "metrics/page_edge.h"

#include <math.h>
#include <string.h>

#include "base/map.h"

bool page_edge_sample(struct page_edge *e, const struct prom_line *line)
{
	uint64_t series =
		hash_mix(line->hash, hash_bytes(line->name.p, line->name.n, 7));

	if (e->begun)
		return series == e->series &&
		       (line->time > e->time ||
			(isnan(line->time) && isnan(e->time)));
	e->begun = true;
	e->series = series;
	e->time = line->time;
	return false;
}

void page_edge_keep_type(struct page_edge *e, const struct prom_line *line)
{
	e->type.kind = PROM_NOTHING;
	if (line->name.n > sizeof(e->name))
		return; /* no metric has such a name */
	e->type = *line;
	memcpy(e->name, line->name.p, line->name.n);
	e->type.name.p = e->name;
}

const struct prom_line *page_edge_type(const struct page_edge *e)
{
	return e->type.kind == PROM_TYPE ? &e->type : NULL;
}

void page_edge_pass(struct page_edge *e)
{
	e->type.kind = PROM_NOTHING;
}
