#include "sink/perf/digest_parts.h"

/* "approximate":[keys], if there are any. */
static void put_approximate(struct json_writer *json,
			    const struct figures *figures)
{
	bool any = false;

	for (size_t i = 0; i < figures->n; i++) {
		if (!figures->v[i].approximate)
			continue;
		if (!any) {
			json_add_begin(json, "approximate", '[');
			any = true;
		}
		json_str(json, str_of(figures->v[i].key));
	}
	if (any)
		json_end(json, ']');
}

void perf_put_members(struct json_writer *json, const struct figures *figures)
{
	for (size_t i = 0; i < figures->n; i++) {
		const struct figure *figure = &figures->v[i];

		json_key_str(json, str_of(figure->key));
		if (figure->count)
			json_uint(json, (uint64_t)figure->value);
		else
			json_double(json, figure->value);
	}
	put_approximate(json, figures);
}
