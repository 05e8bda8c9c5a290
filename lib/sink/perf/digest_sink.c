#include <stdlib.h>

#include "sink/perf/breakdown_text.h"
#include "sink/perf/digest_parts.h"
#include "sink/perf/what_if_summary.h"

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

/* A sink without state between digests. */
static struct digest_sink *make(struct out *out,
				int (*put)(struct digest_sink *,
					   struct digest *, struct err *),
				struct err *err)
{
	struct digest_sink *sink = calloc(1, sizeof(*sink));

	if (sink == NULL)
		return err_no_memory(err);
	*sink = (struct digest_sink){put, end, free_sink, out};
	return sink;
}

static void put_object(struct json_writer *json, const struct digest *digest,
		       const struct digest_part *part)
{
	json_begin(json, '{');
	json_add_str(json, "dump", str_of(digest->dump));
	json_add_verbatim(json, "rollout_id", digest->rollout_id);
	if (part->group.n > 0) {
		char by[GROUP_BY_NAME_MAX];

		group_by_name(digest->plan->by, false, by);
		json_key_str(json, str_of(by));
		json_verbatim(json, part->group);
	}
	if (digest->what_if != NULL)
		what_if_put_members(json, digest);
	perf_put_members(json, &part->figures);
	if (part->times != NULL)
		breakdown_put_member(json, part->times);
	if (part->late != NULL)
		stragglers_put_members(json, digest, part);
	json_end(json, '}');
	json_end_line(json);
}

static int put_json(struct digest_sink *sink, struct digest *digest,
		    struct err *err)
{
	struct json_writer json = json_writer_on(sink->out);

	(void)err;
	for (size_t i = 0; i < digest->count; i++)
		put_object(&json, digest, &digest->parts[i]);
	return 0;
}

struct digest_sink *digest_json_new(struct out *out, struct err *err)
{
	return make(out, put_json, err);
}

/* A sink that also summarises the savings of remedies. */
struct summing_sink {
	struct digest_sink base; /* first: the functions cast back */
	struct what_if_summary summary;
};

static int put_summed(struct digest_sink *sink, struct digest *digest,
		      struct err *err)
{
	struct summing_sink *summing = (struct summing_sink *)sink;

	if (put_json(sink, digest, err) < 0)
		return err->code;
	return what_if_summary_add(&summing->summary, digest, err);
}

static int end_summed(struct digest_sink *sink, struct err *err)
{
	struct summing_sink *summing = (struct summing_sink *)sink;

	(void)err;
	what_if_summary_put_json(&summing->summary, sink->out);
	return 0;
}

static void free_summed(struct digest_sink *sink)
{
	what_if_summary_free(&((struct summing_sink *)sink)->summary);
	free(sink);
}

struct digest_sink *digest_what_if_json_new(struct out *out, struct err *err)
{
	struct summing_sink *summing = calloc(1, sizeof(*summing));

	if (summing == NULL)
		return err_no_memory(err);
	summing->base =
		(struct digest_sink){put_summed, end_summed, free_summed, out};
	return &summing->base;
}

/* Whatever is requested beyond the metrics replaces them: one screen. */
static int put_part(struct out *out, const struct digest *digest,
		    const struct digest_part *part, struct err *err)
{
	if (digest->what_if != NULL && what_if_put_text(out, digest, err) < 0)
		return err->code;
	if (digest->what_if != NULL && part->times == NULL &&
	    part->stragglers == NULL)
		return 0;
	if (digest->what_if != NULL)
		out_putc(out, '\n');
	if (digest_put_title(out, digest, part, err) < 0)
		return err->code;
	if (part->times != NULL &&
	    breakdown_put_text(out, part->times, err) < 0)
		return err->code;
	if (part->times != NULL && part->late != NULL)
		out_putc(out, '\n');
	if (part->late != NULL)
		return stragglers_put_table(out, digest, part, err);
	if (part->times != NULL)
		return 0;
	return perf_put_table(out, &part->figures, &digest->plan->perf, err);
}

/* Blocks are separated by a line. */
static void put_separator(struct out *out)
{
	if (out_tell(out) > 0)
		out_putc(out, '\n');
}

static int put_table(struct digest_sink *sink, struct digest *digest,
		     struct err *err)
{
	int code = 0;

	if (digest->count > 1) {
		put_separator(sink->out);
		code = digest_put_groups(sink->out, digest, err);
	}
	for (size_t i = 0; code == 0 && i < digest->count; i++) {
		put_separator(sink->out);
		code = put_part(sink->out, digest, &digest->parts[i], err);
	}
	return code;
}

struct digest_sink *digest_table_new(struct out *out, struct err *err)
{
	return make(out, put_table, err);
}
