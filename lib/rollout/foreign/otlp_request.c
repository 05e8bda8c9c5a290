/* Which spans of an OTLP file are requests, and what they took. */
#include "base/array.h"
#include "fmt/json/json_read.h"
#include "rollout/foreign/otlp_parts.h"

static const struct value absent = {.kind = VALUE_ABSENT};

static const char *const stage_names[STAGES] = {
	[STAGE_PREFILL_WAITING] = "prefill_waiting",
	[STAGE_DECODE_WAITING] = "decode_waiting",
	[STAGE_PREFILL_BOOTSTRAP] = "prefill_bootstrap",
	[STAGE_PREFILL_FORWARD] = "prefill_forward",
	[STAGE_PREFILL_TRANSFER] = "prefill_transfer_kv_cache",
	[STAGE_DECODE_BOOTSTRAP] = "decode_bootstrap",
	[STAGE_DECODE_TRANSFERRED] = "decode_transferred",
	[STAGE_DECODE_FORWARD] = "decode_forward",
};

/* Does the span's operation, where it names one, generate? */
static bool may_generate(const struct otlp_span *span)
{
	struct value operation =
		value_get(span->attrs, "gen_ai.operation.name");

	return operation.kind <= VALUE_NONE ||
	       value_is_str(operation, "chat") ||
	       value_is_str(operation, "text_completion") ||
	       value_is_str(operation, "generate_content");
}

static bool is_roll_generate(const struct otlp_span *span)
{
	return value_is_str(span->name, "rollout.generate") ||
	       (value_is_str(span->name, "generate") &&
		value_is_str(span->scope, "env_manager"));
}

static bool is_generation(const struct otlp_span *span)
{
	if (is_roll_generate(span))
		return true;
	if (!may_generate(span))
		return false;
	for (uint32_t i = 0; i < span->attrs.items->n; i += 2) {
		struct str key = value_text(span->attrs.items->v[i]);

		if (str_is(key, "gen_ai.request.id") ||
		    str_is(key, "gen_ai.usage.completion_tokens") ||
		    str_is(key, "gen_ai.usage.output_tokens") ||
		    (key.n > 15 && memcmp(key.p, "gen_ai.latency.", 15) == 0))
			return true;
	}
	return false;
}

/* Is it the first of its stage, by start and place? */
static void note_stage(struct otlp *o, int32_t place)
{
	struct otlp_span *span = &o->spans[place];
	int32_t *first;
	int stage = 0;

	while (stage < STAGES && !value_is_str(span->name, stage_names[stage]))
		stage++;
	if (stage == STAGES || span->above == OTLP_NONE)
		return;
	first = &o->spans[span->above].first[stage];
	if (*first == OTLP_NONE || span->start < o->spans[*first].start ||
	    (span->start == o->spans[*first].start && place < *first))
		*first = place;
}

/* The number of one side of a request in a row, by its rid; INTERN_FAILED when
 * it has none, or is not known. */
static uint32_t side_number(struct otlp *o, const struct otlp_span *span,
			    const char *name, bool add)
{
	struct value rid = value_get(span->attrs, "rid");

	if (rid.kind != VALUE_STR || span->row == OTLP_NONE)
		return INTERN_FAILED;
	buf_clear(&o->key);
	buf_put(&o->key, &span->row, sizeof(span->row));
	buf_puts(&o->key, name);
	buf_put(&o->key, rid.p, rid.n);
	if (o->key.failed)
		return INTERN_FAILED;
	return add ? intern_add(&o->sides, buf_str(&o->key))
		   : intern_find(&o->sides, buf_str(&o->key));
}

/* Remember the first root of each side of a request. */
static int note_side(struct otlp *o, int32_t place, struct err *err)
{
	const struct otlp_span *span = &o->spans[place];
	const char *name = value_is_str(span->name, "decode Req")
				   ? "decode Req"
				   : "prefill Req";
	uint32_t known = o->sides.count;
	uint32_t number;

	if (!value_is_str(span->name, name))
		return 0;
	number = side_number(o, span, name, true);
	if (number == INTERN_FAILED || number < known)
		return 0;
	if (!ARRAY_GROW(o->side_places, number, o->side_cap))
		return err_memory(err);
	o->side_places[number] = place;
	return 0;
}

int otlp_find_requests(struct otlp *o, struct err *err)
{
	for (size_t i = 0; i < o->n; i++)
		if (note_side(o, (int32_t)i, err) < 0)
			return err->code;
	for (size_t i = 0; i < o->n; i++) {
		struct otlp_span *span = &o->spans[o->order[i]];
		struct otlp_span *parent = span->parent == OTLP_NONE
						   ? NULL
						   : &o->spans[span->parent];

		span->is_generation = is_generation(span);
		span->is_root = span->is_generation ||
				value_is_str(span->name, "prefill Req") ||
				value_is_str(span->name, "decode Req");
		if (parent != NULL)
			span->above = parent->is_root ? span->parent
						      : parent->above;
		note_stage(o, o->order[i]);
		if (span->is_generation)
			o->some_generation = true;
		if (span->is_generation && span->row != OTLP_NONE)
			o->rows[span->row].has_generation = true;
	}
	for (size_t i = o->n; i > 0; i--) {
		const struct otlp_span *span = &o->spans[o->order[i - 1]];
		struct otlp_span *parent;

		if (span->parent == OTLP_NONE)
			continue;
		parent = &o->spans[span->parent];
		if (parent->row == span->row)
			parent->has_below |= span->is_generation ||
					     span->has_below;
	}
	return 0;
}

struct value otlp_finish_reason(const struct otlp_span *span, struct carrier *c)
{
	struct value reasons =
		value_get(span->attrs, "gen_ai.response.finish_reasons");
	struct err ignored = {0};

	if (reasons.kind == VALUE_STR &&
	    json_parse(value_text(reasons), c->arena, &reasons, &ignored) < 0)
		return absent;
	if (reasons.kind != VALUE_LIST || reasons.items->n == 0)
		return absent;
	return reasons.items->v[reasons.items->n - 1];
}

/* Seconds from the start of one span to the end of another, when both are
 * there and the second has ended. */
static struct value seconds(const struct otlp *o, int32_t from, int32_t to)
{
	if (from == OTLP_NONE || to == OTLP_NONE || o->spans[to].end <= 0)
		return absent;
	return value_float((double)(o->spans[to].end - o->spans[from].start) /
			   1e9);
}

/* The durations of one side of a disaggregated request. */
static void put_stages(struct otlp *o, struct carrier *c, struct value request,
		       const struct otlp_span *root)
{
	static const struct {
		const char *root, *key;
		enum otlp_stage from, to;
	} durations[] = {
		{"prefill Req", "pd_prefill_bootstrap_queue_duration",
		 STAGE_PREFILL_BOOTSTRAP, STAGE_PREFILL_BOOTSTRAP},
		{"prefill Req", "pd_prefill_forward_duration",
		 STAGE_PREFILL_FORWARD, STAGE_PREFILL_TRANSFER},
		{"prefill Req", "pd_prefill_transfer_queue_duration",
		 STAGE_PREFILL_TRANSFER, STAGE_PREFILL_TRANSFER},
		{"decode Req", "pd_decode_prealloc_duration",
		 STAGE_DECODE_BOOTSTRAP, STAGE_DECODE_BOOTSTRAP},
		{"decode Req", "pd_decode_transfer_duration",
		 STAGE_DECODE_TRANSFERRED, STAGE_DECODE_TRANSFERRED},
		{"decode Req", "pd_decode_forward_duration",
		 STAGE_DECODE_FORWARD, STAGE_DECODE_FORWARD},
	};

	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++)
		if (value_is_str(root->name, durations[i].root))
			carrier_attr(c, request, durations[i].key,
				     seconds(o, root->first[durations[i].from],
					     root->first[durations[i].to]));
}

/* The other side of a disaggregated request in the row: the root of that name
 * with the same rid. */
static const struct otlp_span *
other_side(struct otlp *o, const struct otlp_span *span, const char *name)
{
	uint32_t number = side_number(o, span, name, false);

	return number == INTERN_FAILED ? NULL
				       : &o->spans[o->side_places[number]];
}

/* Put a figure where perf/ reads it, and among the span's attributes. */
static void put_figure(struct carrier *c, struct value request,
		       struct value attrs, const char *key, struct value v)
{
	carrier_attr(c, request, key, v);
	carrier_attr(c, attrs, key, v);
}

static struct value attr_or(const struct otlp_span *span, const char *key,
			    const char *other)
{
	struct value v = member_value(span->attrs, key);

	return v.kind == VALUE_ABSENT ? member_value(span->attrs, other) : v;
}

static void put_throughput(struct carrier *c, struct value request,
			   struct value attrs, const struct otlp_span *span)
{
	double first, decode, latency, n;

	if (is_roll_generate(span) ||
	    !member_number(attrs, "completion_tokens", &n) ||
	    !member_number(request, "e2e_latency", &latency))
		return;
	n -= 1;
	if (!member_number(span->attrs, "gen_ai.latency.time_in_model_decode",
			   &decode)) {
		if (!member_number(span->attrs,
				   "gen_ai.latency.time_to_first_token",
				   &first))
			return;
		decode = latency - first;
	}
	if (n > 0 && decode > 0)
		put_figure(c, request, attrs, "decode_throughput",
			   value_float(n / decode));
}

static void put_times(struct otlp *o, struct carrier *c, struct value request,
		      struct value attrs, int32_t place)
{
	const struct otlp_span *span = &o->spans[place];
	enum otlp_stage waiting = value_is_str(span->name, "decode Req")
					  ? STAGE_DECODE_WAITING
					  : STAGE_PREFILL_WAITING;
	struct value queued =
		member_value(span->attrs, "gen_ai.latency.time_in_queue");
	struct value latency = member_value(span->attrs, "gen_ai.latency.e2e");
	struct value tokens = attr_or(span, "gen_ai.usage.completion_tokens",
				      "gen_ai.usage.output_tokens");

	if (latency.kind == VALUE_ABSENT)
		latency = seconds(o, place, place);
	if (queued.kind == VALUE_ABSENT)
		queued = seconds(o, span->first[waiting], span->first[waiting]);
	put_figure(c, request, attrs, "e2e_latency", latency);
	put_figure(c, request, attrs, "queue_time", queued);
	carrier_attr(c, attrs, "completion_tokens", tokens);
	carrier_attr(c, attrs, "prompt_tokens",
		     attr_or(span, "gen_ai.usage.prompt_tokens",
			     "gen_ai.usage.input_tokens"));
	carrier_attr(c, attrs, "cached_tokens",
		     member_value(span->attrs, "gen_ai.usage.cached_tokens"));
	carrier_attr(c, attrs, "finish_reason", otlp_finish_reason(span, c));
	put_throughput(c, request, attrs, span);
}

struct value otlp_request(struct otlp *o, struct carrier *c, int32_t place,
			  struct value attrs)
{
	const struct otlp_span *span = &o->spans[place];
	const struct otlp_span *prefill = NULL;
	struct value request;

	if (!span->is_generation || span->has_below)
		return absent;
	if (value_is_str(span->name, "prefill Req") &&
	    other_side(o, span, "decode Req") != NULL)
		return absent;
	if (value_is_str(span->name, "decode Req"))
		prefill = other_side(o, span, "prefill Req");
	request = carrier_attrs(c);
	if (span->end <= 0)
		return request;
	put_times(o, c, request, attrs, place);
	put_stages(o, c, request, span);
	if (prefill != NULL)
		put_stages(o, c, request, prefill);
	return request;
}
