#include "fmt/json_value.h"
#include "sink/perf_sink.h"

struct json_visitor {
	struct perf_visitor base; /* first: the functions cast back */
	struct json_writer json;
};

static void put_count(struct perf_visitor *visitor, const char *key, uint64_t n)
{
	struct json_visitor *v = (struct json_visitor *)visitor;

	json_key(&v->json, key);
	json_uint(&v->json, n);
}

static void put_value(struct perf_visitor *visitor, const char *key, double d)
{
	struct json_visitor *v = (struct json_visitor *)visitor;

	json_key(&v->json, key);
	json_double(&v->json, d);
}

int perf_put_json(struct out *out, const struct perf_about *about,
		  struct perf *perf, const struct perf_wanted *wanted,
		  struct err *err)
{
	struct json_visitor v = {.base = {put_count, put_value},
				 .json = json_writer_on(out)};

	(void)err;
	json_begin(&v.json, '{');
	json_key(&v.json, "dump");
	json_str(&v.json, str_of(about->dump));
	json_key(&v.json, "rollout_id");
	json_put_value(&v.json, about->rollout_id, JSON_KEYS_STR);
	perf_visit(perf, wanted, &v.base);
	json_end(&v.json, '}');
	json_end_line(&v.json);
	return 0;
}
