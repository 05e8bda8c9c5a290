/*
 * Rollouts of prime-rl and verifiers: one line per episode, of one trace or
 * several, or per bare trace.
 *
 * Source: prime-rl's src/prime_rl/monitors/file.py and verifiers'
 * verifiers/v1/trace.py and episode.py, read in 2026-08. 0.0 is a time that is
 * not set yet. The messages themselves (nodes) are payload.
 */
#include "base/array.h"
#include "rollout/foreign/foreign.h"

struct prime {
	struct foreign base;  /* first: the format's functions cast back */
	struct value episode; /* absent for a bare trace */
	struct value traces;  /* a list; absent: bare is the trace */
	struct value bare;
};

static const struct str payload[] = {STR("nodes")};

/* An episode without traces: its environment failed. */
static bool is_bare_episode(struct value record)
{
	struct value run = member_of_kind(record, "run", VALUE_DICT);
	struct value env = member_of_kind(record, "env", VALUE_DICT);

	return value_get(record, "timing").kind <= VALUE_NONE &&
	       value_get(record, "traces").kind <= VALUE_NONE &&
	       (run.kind == VALUE_DICT || env.kind == VALUE_DICT);
}

/* Drop and report what is not a trace; how many are left. */
static int keep_objects(struct foreign *f, struct value_items *items)
{
	uint32_t n = 0, all = items->n;

	for (uint32_t i = 0; i < items->n; i++)
		if (items->v[i].kind == VALUE_DICT)
			items->v[n++] = items->v[i];
	items->n = n;
	if (n < all)
		err_at(&f->trouble, ERR_INPUT, ERR_LINE, f->number,
		       "%u of %u traces are not objects and are ignored",
		       all - n, all);
	return (int)n;
}

static int take(struct foreign *f, struct value record, struct err *err)
{
	struct prime *prime = (struct prime *)f;

	prime->traces = member_of_kind(record, "traces", VALUE_LIST);
	prime->episode = prime->bare = record;
	if (prime->traces.kind == VALUE_LIST)
		return keep_objects(f, prime->traces.items);
	if (is_bare_episode(record))
		return 0;
	if (member_of_kind(record, "timing", VALUE_DICT).kind != VALUE_DICT)
		return err_set(err, ERR_INPUT, "not an episode or a trace");
	prime->episode.kind = VALUE_ABSENT;
	return 1;
}

static bool is_true(struct value v)
{
	return v.kind == VALUE_BOOL && v.b;
}

static uint32_t error_count(struct value trace)
{
	struct value errors = member_of_kind(trace, "errors", VALUE_LIST);

	return errors.kind == VALUE_LIST ? errors.items->n : 0;
}

static bool has_error(struct value call)
{
	struct value error = value_get(call, "error");

	return error.kind != VALUE_ABSENT && error.kind != VALUE_NONE;
}

/* Was it ended by a limit? */
static bool is_truncated(struct value trace)
{
	static const char *const limits[] = {"max_turns", "max_input_tokens",
					     "max_output_tokens",
					     "max_total_tokens",
					     "context_length"};
	struct value calls = member_of_kind(trace, "calls", VALUE_LIST);
	struct value stop = value_get(trace, "stop_condition");

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (value_is_str(stop, limits[i]))
			return true;
	if (calls.kind != VALUE_LIST)
		return false;
	for (uint32_t i = calls.items->n; i > 0; i--)
		if (!has_error(calls.items->v[i - 1]))
			return value_is_str(
				member_finish_reason(calls.items->v[i - 1]),
				"length");
	return false;
}

static struct value status_of(struct value trace)
{
	if (is_true(value_get(trace, "ok")))
		return value_literal(is_truncated(trace) ? "truncated"
							 : "completed");
	if (error_count(trace) > 0)
		return value_literal("failed");
	return value_literal(is_true(value_get(trace, "is_completed"))
				     ? "aborted"
				     : "pending");
}

/* Each failed attempt leaves an error; the last one's own is not another. */
static int64_t attempt_of(struct value trace)
{
	int64_t errors = (int64_t)error_count(trace);

	if (is_true(value_get(trace, "ok")) || errors == 0)
		return errors;
	return errors - 1;
}

/* The weighted sum of the known rewards. */
static struct value reward_of(struct value trace)
{
	struct value rewards = member_of_kind(trace, "rewards", VALUE_DICT);
	double sum = 0;
	bool known = false;

	if (rewards.kind != VALUE_DICT)
		return value_none();
	for (uint32_t i = 1; i < rewards.items->n; i += 2) {
		double score, weight = 1;

		if (!member_number(rewards.items->v[i], "score", &score))
			continue;
		member_number(rewards.items->v[i], "weight", &weight);
		sum += score * weight;
		known = true;
	}
	return known ? value_float(sum) : value_none();
}

static struct value agent_attrs(struct carrier *c, struct value episode,
				struct value trace)
{
	struct value attrs = carrier_span_attrs(c);
	struct value work = value_get(value_get(episode, "run"), "work");

	carrier_attr(c, attrs, "agent",
		     member_text(value_get(trace, "agent"), "name"));
	carrier_attr(c, attrs, "step", member_value(work, "step"));
	carrier_attr(c, attrs, "policy",
		     member_of_kind(work, "policy", VALUE_DICT));
	return attrs;
}

/* The times of a span; false if it has not begun. */
static bool times_of(struct carrier *c, struct value times,
		     struct carrier_span *span)
{
	if (!member_number(times, "end", &span->end) || span->end == 0)
		span->end = NAN;
	if (member_number(times, "start", &span->start) && span->start > 0)
		return true;
	c->lost.of[LOST_START] += span->end > 0;
	return false;
}

/* A span for each part of timing that has begun; returns the agent's id. */
static struct value add_parts(struct carrier *c, struct value timing,
			      struct value attrs)
{
	struct value agent = {.kind = VALUE_ABSENT};

	for (uint32_t i = 0; i < timing.items->n; i += 2) {
		struct value part = timing.items->v[i + 1];
		struct carrier_span span = {.name = timing.items->v[i]};
		bool is_agent = value_is_str(span.name, "agent");
		struct value id;

		if (part.kind != VALUE_DICT || !times_of(c, part, &span))
			continue;
		if (is_agent)
			span.attrs = attrs;
		id = carrier_span(c, &span);
		if (is_agent)
			agent = id;
	}
	return agent;
}

static struct value call_attrs(struct carrier *c, struct value call)
{
	struct value attrs = carrier_attrs(c);
	struct value usage = value_get(call, "usage");
	struct value error = value_get(call, "error");

	carrier_attr(c, attrs, "model", member_text(call, "model"));
	carrier_attr(c, attrs, "prompt_tokens",
		     member_value(usage, "prompt_tokens"));
	carrier_attr(c, attrs, "completion_tokens",
		     member_value(usage, "completion_tokens"));
	carrier_attr(c, attrs, "cached_tokens",
		     member_value(usage, "cached_input_tokens"));
	carrier_attr(c, attrs, "finish_reason", member_finish_reason(call));
	carrier_attr(c, attrs, "error_type", member_text(error, "type"));
	carrier_attr(c, attrs, "error_message", member_text(error, "message"));
	return attrs;
}

static void add_call(struct carrier *c, struct value agent, struct value call)
{
	struct value time = value_get(call, "time");
	struct carrier_span span = {.name = value_literal("generate"),
				    .parent = agent};

	if (!times_of(c, time, &span))
		return;
	span.attrs = call_attrs(c, call);
	span.request = carrier_attrs(c);
	if (!isnan(span.end)) {
		struct value latency = carrier_figure(
			c, "e2e_latency", value_float(span.end - span.start));

		carrier_attr(c, span.request, "e2e_latency", latency);
		carrier_attr(c, span.attrs, "e2e_latency", latency);
	}
	carrier_span(c, &span);
}

static void add_spans(struct carrier *c, struct value trace, struct value attrs)
{
	struct value timing = member_of_kind(trace, "timing", VALUE_DICT);
	struct value calls = member_of_kind(trace, "calls", VALUE_LIST);
	struct value agent = {.kind = VALUE_ABSENT};

	if (timing.kind == VALUE_DICT)
		agent = add_parts(c, timing, attrs);
	for (uint32_t i = 0; calls.kind == VALUE_LIST && i < calls.items->n;
	     i++)
		add_call(c, agent, calls.items->v[i]);
}

static int row(struct foreign *f, uint64_t i, struct carrier *c,
	       struct err *err)
{
	const struct prime *prime = (const struct prime *)f;
	struct value episode = prime->episode;
	struct value trace = prime->traces.kind == VALUE_LIST
				     ? prime->traces.items->v[i]
				     : prime->bare;
	struct value env = value_get(episode, "env");
	struct value task = value_get(episode, "task");
	struct value source = member_text(env, "name");
	struct value group = value_get(value_get(episode, "group"), "id");

	(void)err;
	if (task.kind == VALUE_ABSENT)
		task = value_get(trace, "task");
	if (source.kind == VALUE_ABSENT)
		source = member_text(env, "id");
	if (group.kind == VALUE_STR || group.kind == VALUE_INT)
		CARRIER_SET(c, group_index, group);
	CARRIER_SET(c, index, value_int((int64_t)(f->position + i)));
	CARRIER_SET(c, status, status_of(trace));
	CARRIER_SET(c, source, source);
	CARRIER_SET(c, label, member_text(task, "key"));
	CARRIER_SET(c, reward, reward_of(trace));
	carrier_set_trace(c, "trace_id", member_text(trace, "id"));
	carrier_set_trace(c, "attempt", value_int(attempt_of(trace)));
	add_spans(c, trace, agent_attrs(c, episode, trace));
	return 1;
}

const struct foreign_format prime_format = {
	.name = "rollouts of prime-rl or verifiers",
	.row_name = "trace",
	.rows = "traces",
	.payload = payload,
	.payload_count = 1,
	.size = sizeof(struct prime),
	.take = take,
	.row = row,
};
