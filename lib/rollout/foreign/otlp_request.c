/* Finds the requests among the spans of an OTLP file, and their durations. */
#include "base/array.h"
#include "fmt/json/json_read.h"
#include "rollout/foreign/otlp_parts.h"

static const struct value absent = {.kind = VALUE_ABSENT};

/* Does the span's operation, if it names one, generate? */
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
	return span->name == NAME_ROLLOUT_GENERATE ||
	       (span->name == NAME_GENERATE &&
		span->scope == SCOPE_ENV_MANAGER);
}

static bool is_generation(const struct otlp_span *span)
{
	if (is_roll_generate(span))
		return true;
	if (span->attrs.kind != VALUE_DICT || !may_generate(span))
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

/* Is it the first of its stage, by start and position? */
static void note_stage(struct otlp *o, int32_t place)
{
	struct otlp_span *span = &o->spans[place];
	int32_t *first;

	if (span->name >= STAGES || span->above == OTLP_NONE)
		return;
	first = &o->stages[o->spans[span->above].stages].first[span->name];
	if (*first == OTLP_NONE || span->start < o->spans[*first].start ||
	    (span->start == o->spans[*first].start && place < *first))
		*first = place;
}

/* Stages may be below the span. */
static int add_stages(struct otlp *o, struct otlp_span *span, struct err *err)
{
	if (!ARRAY_GROW(o->stages, o->stages_n, o->stages_cap))
		return err_memory(err);
	for (int i = 0; i < STAGES; i++)
		o->stages[o->stages_n].first[i] = OTLP_NONE;
	span->stages = (int32_t)o->stages_n++;
	return 0;
}

/* The first span of a stage below a request root. */
static int32_t first_of(const struct otlp *o, const struct otlp_span *root,
			enum otlp_text stage)
{
	return o->stages[root->stages].first[stage];
}

/* The number of one side of a request in a row, by its rid; INTERN_FAILED if it
 * has none, or is unknown. */
static uint32_t side_number(struct otlp *o, const struct otlp_span *span,
			    uint32_t name, bool add)
{
	struct value rid = value_get(span->attrs, "rid");

	if (rid.kind != VALUE_STR || span->row == OTLP_NONE)
		return INTERN_FAILED;
	buf_clear(&o->key);
	buf_put(&o->key, &span->row, sizeof(span->row));
	buf_put(&o->key, &name, sizeof(name));
	buf_put(&o->key, rid.p, rid.n);
	if (o->key.failed)
		return INTERN_FAILED;
	return add ? intern_add(&o->sides, buf_str(&o->key))
		   : intern_find(&o->sides, buf_str(&o->key));
}

/* Record the first root of each side of a request. */
static int note_side(struct otlp *o, int32_t place, struct err *err)
{
	const struct otlp_span *span = &o->spans[place];
	uint32_t known = o->sides.count;
	uint32_t number;

	if (span->name != NAME_DECODE && span->name != NAME_PREFILL)
		return 0;
	number = side_number(o, span, span->name, true);
	if (number == INTERN_FAILED || number < known)
		return 0;
	if (!ARRAY_GROW(o->side_places, number, o->side_cap))
		return err_memory(err);
	o->side_places[number] = place;
	return 0;
}

int otlp_find_requests(struct otlp *o, struct err *err)
{
	for (size_t i = 0; o->some_side && i < o->n; i++)
		if (note_side(o, (int32_t)i, err) < 0)
			return err->code;
	for (size_t i = 0; i < o->n; i++) {
		struct otlp_span *span = &o->spans[o->order[i]];
		struct otlp_span *parent = span->parent == OTLP_NONE
						   ? NULL
						   : &o->spans[span->parent];

		span->is_generation = is_generation(span);
		span->is_root = span->is_generation ||
				span->name == NAME_PREFILL ||
				span->name == NAME_DECODE;
		if (span->is_root && add_stages(o, span, err) < 0)
			return err->code;
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

/* Seconds from the start of one span to the end of another, if both exist and
 * the second has ended. */
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
		enum otlp_text root;
		const char *key;
		enum otlp_text from, to;
	} durations[] = {
		{NAME_PREFILL, "pd_prefill_bootstrap_queue_duration",
		 STAGE_PREFILL_BOOTSTRAP, STAGE_PREFILL_BOOTSTRAP},
		{NAME_PREFILL, "pd_prefill_forward_duration",
		 STAGE_PREFILL_FORWARD, STAGE_PREFILL_TRANSFER},
		{NAME_PREFILL, "pd_prefill_transfer_queue_duration",
		 STAGE_PREFILL_TRANSFER, STAGE_PREFILL_TRANSFER},
		{NAME_DECODE, "pd_decode_prealloc_duration",
		 STAGE_DECODE_BOOTSTRAP, STAGE_DECODE_BOOTSTRAP},
		{NAME_DECODE, "pd_decode_transfer_duration",
		 STAGE_DECODE_TRANSFERRED, STAGE_DECODE_TRANSFERRED},
		{NAME_DECODE, "pd_decode_forward_duration",
		 STAGE_DECODE_FORWARD, STAGE_DECODE_FORWARD},
	};

	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		const char *key = durations[i].key;
		struct value took;

		if (root->name != durations[i].root)
			continue;
		took = seconds(o, first_of(o, root, durations[i].from),
			       first_of(o, root, durations[i].to));
		carrier_attr(c, request, key, carrier_figure(c, key, took));
	}
}

/* The other side of a disaggregated request in the row: the root of that name
 * with the same rid. */
static const struct otlp_span *
other_side(struct otlp *o, const struct otlp_span *span, uint32_t name)
{
	uint32_t number = side_number(o, span, name, false);

	return number == INTERN_FAILED ? NULL
				       : &o->spans[o->side_places[number]];
}

/* Store a figure where perf/ reads it, and in the span's attributes. */
static void put_figure(struct carrier *c, struct value request,
		       struct value attrs, const char *key, struct value v)
{
	v = carrier_figure(c, key, v);
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
	int32_t waiting = first_of(o, span,
				   span->name == NAME_DECODE
					   ? STAGE_DECODE_WAITING
					   : STAGE_PREFILL_WAITING);
	struct value queued =
		member_value(span->attrs, "gen_ai.latency.time_in_queue");
	struct value latency = member_value(span->attrs, "gen_ai.latency.e2e");
	struct value tokens = attr_or(span, "gen_ai.usage.completion_tokens",
				      "gen_ai.usage.output_tokens");

	if (latency.kind == VALUE_ABSENT)
		latency = seconds(o, place, place);
	if (queued.kind == VALUE_ABSENT)
		queued = seconds(o, waiting, waiting);
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
	if (span->name == NAME_PREFILL &&
	    other_side(o, span, NAME_DECODE) != NULL)
		return absent;
	if (span->name == NAME_DECODE)
		prefill = other_side(o, span, NAME_PREFILL);
	request = carrier_attrs(c);
	if (span->end <= 0)
		return request;
	put_times(o, c, request, attrs, place);
	put_stages(o, c, request, span);
	if (prefill != NULL)
		put_stages(o, c, request, prefill);
	return request;
}
