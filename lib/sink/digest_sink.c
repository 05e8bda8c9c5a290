#include <stdlib.h>

#include "sink/digest_parts.h"

static int end(struct digest_sink *sink, struct err *err)
{
	(void)sink;
	(void)err;
	return 0;
}

static void free_sink(struct digest_sink *sink)
{
	free(sink);
}

/* A sink that keeps nothing from one digest to the next. */
static struct digest_sink *make(struct out *out,
				int (*put)(struct digest_sink *,
					   struct digest *, struct err *),
				struct err *err)
{
	struct digest_sink *sink = calloc(1, sizeof(*sink));

	if (sink == NULL) {
		err_memory(err);
		return NULL;
	}
	*sink = (struct digest_sink){put, end, free_sink, out};
	return sink;
}

static int put_json(struct digest_sink *sink, struct digest *digest,
		    struct err *err)
{
	struct json_writer json = json_writer_on(sink->out);

	(void)err;
	for (size_t i = 0; i < digest->count; i++) {
		json_begin(&json, '{');
		json_key(&json, "dump");
		json_str(&json, str_of(digest->dump));
		json_key(&json, "rollout_id");
		json_verbatim(&json, digest->rollout_id);
		perf_put_members(&json, digest->parts[i].perf,
				 &digest->plan->perf);
		json_end(&json, '}');
		json_end_line(&json);
	}
	return 0;
}

struct digest_sink *digest_json_new(struct out *out, struct err *err)
{
	return make(out, put_json, err);
}

static int put_table(struct digest_sink *sink, struct digest *digest,
		     struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < digest->count; i++) {
		struct perf *perf = digest->parts[i].perf;

		digest_put_title(sink->out, digest, perf_samples(perf));
		code = perf_put_table(sink->out, perf, &digest->plan->perf,
				      err);
	}
	return code;
}

struct digest_sink *digest_table_new(struct out *out, struct err *err)
{
	return make(out, put_table, err);
}
