#include "sink/digest_parts.h"

struct json_visitor {
	struct perf_visitor base; /* first: the functions cast back */
	struct json_writer *json;
};

static void put_count(struct perf_visitor *visitor, const char *key, uint64_t n)
{
	struct json_visitor *v = (struct json_visitor *)visitor;

	json_key(v->json, key);
	json_uint(v->json, n);
}

static void put_value(struct perf_visitor *visitor, const char *key, double d)
{
	struct json_visitor *v = (struct json_visitor *)visitor;

	json_key(v->json, key);
	json_double(v->json, d);
}

void perf_put_members(struct json_writer *json, struct perf *perf,
		      const struct perf_wanted *wanted)
{
	struct json_visitor v = {.base = {put_count, put_value}, .json = json};

	perf_visit(perf, wanted, &v.base);
}
