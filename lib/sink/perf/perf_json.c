#include "sink/perf/digest_parts.h"

struct json_visitor {
	struct perf_visitor base; /* first: the functions cast back */
	struct json_writer *json;
};

static void put_count(struct perf_visitor *visitor, const char *key, uint64_t n)
{
	struct json_visitor *v = (struct json_visitor *)visitor;

	json_key_str(v->json, str_of(key));
	json_uint(v->json, n);
}

static void put_value(struct perf_visitor *visitor, const char *key, double d)
{
	struct json_visitor *v = (struct json_visitor *)visitor;

	json_key_str(v->json, str_of(key));
	json_double(v->json, d);
}

/* "approximate":[keys], when there are any. */
static void put_approximate(struct json_writer *json,
			    const struct figures *given)
{
	bool any = false;

	for (size_t i = 0; given != NULL && i < given->n; i++) {
		if (!given->v[i].approximate)
			continue;
		if (!any) {
			json_key(json, "approximate");
			json_begin(json, '[');
			any = true;
		}
		json_str(json, str_of(given->v[i].key));
	}
	if (any)
		json_end(json, ']');
}

void perf_put_members(struct json_writer *json, struct perf *perf,
		      const struct perf_wanted *wanted)
{
	struct json_visitor v = {.base = {put_count, put_value}, .json = json};

	perf_visit(perf, wanted, &v.base);
	put_approximate(json, perf_given(perf));
}
