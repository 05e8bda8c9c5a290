/*
 * SGLang's request log (--export-metrics-to-file): one line per finished
 * request.
 *
 * Source: python/sglang/srt/observability/request_metrics_exporter.py; the
 * members are the request's meta_info (managers/tokenizer_manager.py and
 * observability/req_time_stats.py), read in 2026-07.
 */
#include "rollout/foreign/foreign.h"

struct sglang_log {
	struct foreign base; /* first: the format's functions cast back */
	struct value record;
};

static const struct str payload[] = {STR("request_parameters")};

static int take(struct foreign *f, struct value record, struct err *err)
{
	if (value_get(record, "request_parameters").kind != VALUE_SKIPPED)
		return err_set(err, ERR_INPUT,
			       "not a record of SGLang's request log");
	((struct sglang_log *)f)->record = record;
	return 1;
}

/* The status code of an abort that the engine rejected or that broke it. */
static bool has_status_code(struct value record)
{
	struct value reason = value_get(record, "finish_reason");
	struct value code = value_get(reason, "status_code");

	return code.kind != VALUE_ABSENT && code.kind != VALUE_NONE;
}

static struct value status_of(struct value record)
{
	struct value reason = member_finish_reason(record);
	double tokens;

	if (value_is_str(reason, "stop"))
		return value_literal("completed");
	if (value_is_str(reason, "length"))
		return value_literal(
			member_number(record, "completion_tokens", &tokens)
				? "truncated"
				: "completed");
	if (value_is_str(reason, "abort"))
		return value_literal(has_status_code(record) ? "failed"
							     : "aborted");
	return value_none();
}

/* The queue time of a request that never ran, or was retracted, is garbage. */
static bool queue_time_is_valid(struct value record)
{
	double queued, forward;

	return member_number(record, "queue_time", &queued) && queued >= 0 &&
	       (member_number(record, "forward_entry_time", &forward) ||
		!value_is_str(member_finish_reason(record), "abort"));
}

static void set_error(struct carrier *c, struct value attrs,
		      struct value record)
{
	struct value reason = value_get(record, "finish_reason");
	struct value type = member_text(reason, "err_type");

	if (!value_is_str(member_finish_reason(record), "abort") ||
	    !has_status_code(record))
		return;
	carrier_attr(c, attrs, "error_type",
		     type.kind == VALUE_STR ? type : value_literal("abort"));
	carrier_attr(c, attrs, "error_message", member_text(reason, "message"));
}

/* All members except the request's own parameters. */
static struct value attrs_of(struct carrier *c, struct value record)
{
	struct value attrs = carrier_attrs(c);

	for (uint32_t i = 0; i < record.items->n; i += 2) {
		struct value key = record.items->v[i];
		struct value v = record.items->v[i + 1];

		if (v.kind == VALUE_SKIPPED)
			continue;
		if (value_is_str(key, "finish_reason"))
			v = member_finish_reason(record);
		else if (value_is_str(key, "queue_time") &&
			 !queue_time_is_valid(record))
			key = value_literal("queue_time_invalid");
		if (attrs.kind != VALUE_DICT || v.kind == VALUE_ABSENT)
			continue;
		c->failed |= !value_push(c->arena, attrs, key) ||
			     !value_push(c->arena, attrs, v);
	}
	set_error(c, attrs, record);
	return attrs;
}

static void put_figure(struct carrier *c, struct value request,
		       struct value record, const char *key)
{
	carrier_attr(c, request, key,
		     carrier_figure(c, key, member_value(record, key)));
}

/* The input for the perf/ figures. A negative queue time is counted, not used.
 */
static struct value request_of(struct carrier *c, struct value record)
{
	struct value request = carrier_attrs(c);
	double queued;

	put_figure(c, request, record, "e2e_latency");
	put_figure(c, request, record, "decode_throughput");
	if (queue_time_is_valid(record) ||
	    (member_number(record, "queue_time", &queued) && queued < 0))
		put_figure(c, request, record, "queue_time");
	return request;
}

static double number_or_nan(struct value record, const char *key)
{
	double number;

	return member_number(record, key, &number) ? number : NAN;
}

/* When it began and ended; false if neither is known. */
static bool times_of(struct value record, double *start, double *end)
{
	double received = number_or_nan(record, "request_received_ts");
	double latency = number_or_nan(record, "e2e_latency");

	*end = number_or_nan(record, "request_finished_ts");
	if (isnan(*end))
		*end = number_or_nan(record, "decode_finished_ts");
	if (isnan(*end))
		*end = received + latency;
	if (isnan(*end))
		*end = number_or_nan(record, "response_sent_to_client_ts");
	*start = isnan(received) ? *end - latency : received;
	return !isnan(*start) && !isnan(*end);
}

static void add_child(struct carrier *c, struct value parent, const char *name,
		      double start, double end)
{
	if (end >= start) /* false if NAN */
		carrier_span(c,
			     &(struct carrier_span){.name = value_literal(name),
						    .start = start,
						    .end = end,
						    .parent = parent});
}

static void add_children(struct carrier *c, struct value parent,
			 struct value record)
{
	double forward = number_or_nan(record, "forward_entry_time");
	double prefilled = number_or_nan(record, "prefill_finished_time");
	double queued = number_or_nan(record, "queue_time");
	double tokens = number_or_nan(record, "completion_tokens");

	if (isnan(forward))
		return;
	add_child(c, parent, "sglang_dispatch",
		  number_or_nan(record, "request_received_ts"),
		  number_or_nan(record, "api_server_dispatch_finish_ts"));
	if (queued > 0)
		add_child(c, parent, "sglang_queue", forward - queued, forward);
	add_child(c, parent, "sglang_prefill", forward, prefilled);
	if (tokens > 1)
		add_child(c, parent, "sglang_decode", prefilled,
			  number_or_nan(record, "request_finished_ts"));
}

static int row(struct foreign *f, uint64_t i, struct carrier *c,
	       struct err *err)
{
	struct value record = ((struct sglang_log *)f)->record;
	struct carrier_span span = {.name = value_literal("sglang_generate")};
	struct value id;
	double sent = number_or_nan(record, "response_sent_to_client_ts");

	(void)i, (void)err;
	CARRIER_SET(c, index, value_int((int64_t)f->position));
	CARRIER_SET(c, status, status_of(record));
	carrier_set_trace(c, "trace_id", member_text(record, "id"));
	span.request = request_of(c, record);
	span.attrs = attrs_of(c, record);
	if (!times_of(record, &span.start, &span.end)) {
		CARRIER_SET(c, meta_info, span.request);
		carrier_put(c, c->sample.whole, (struct str)STR("unplaced"),
			    span.attrs);
		CARRIER_SET(c, response_length,
			    carrier_figure(c, "completion_tokens",
					   member_value(record,
							"completion_tokens")));
		if (!isnan(span.start))
			c->lost.of[LOST_END]++;
		return 1;
	}
	id = carrier_span(c, &span);
	add_children(c, id, record);
	if (!isnan(sent))
		carrier_point(c, &(struct carrier_span){
					 .name = value_literal("response_sent"),
					 .start = sent,
					 .parent = id});
	return 1;
}

const struct foreign_format sglang_log_format = {
	.name = "SGLang's request log",
	.row_name = "request",
	.rows = "requests",
	.payload = payload,
	.payload_count = 1,
	.resume = "{\"request_parameters\":",
	.size = sizeof(struct sglang_log),
	.take = take,
	.row = row,
};
