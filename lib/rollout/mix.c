#include "rollout/mix.h"

#include <stdlib.h>

#include "base/limits.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "rollout/sample_trace.h"

/* Seconds outside of the dump's time, of a sample that is not in it and of any
 * record, from which they are skipped. */
static const double sample_apart = 60;
static const double record_apart = 3600;

struct mix mix_new(struct records *records)
{
	return (struct mix){.records = records,
			    .own = INTERVAL_NONE,
			    .arena = arena_new(LIMIT_SAMPLE)};
}

void mix_free(struct mix *mix)
{
	records_free(mix->records);
	free(mix->joined);
	arena_free(&mix->arena);
}

void mix_rewind(struct mix *mix)
{
	free(mix->joined);
	mix->joined = NULL;
	mix->next = 0;
	mix->samples = 0;
	mix->elsewhere = 0;
}

static bool is_sequence(struct value v)
{
	return v.kind == VALUE_LIST || v.kind == VALUE_TUPLE;
}

/* The events of both, those of the sample first. */
static struct value joined_events(struct arena *a, struct value own,
				  struct value more)
{
	uint32_t n = is_sequence(own) ? own.items->n : 0;
	struct value both = value_new(a, VALUE_LIST, n + more.items->n);

	if (both.kind == VALUE_LIST &&
	    (n == 0 || value_push_all(a, both, own.items->v, n)) &&
	    value_push_all(a, both, more.items->v, more.items->n))
		return both;
	return (struct value){.kind = VALUE_ABSENT};
}

/* The sample's trace with other events; the last of duplicate keys counts. */
static struct value with_events(struct arena *a, struct value trace,
				struct value events)
{
	struct value copy = value_new(a, VALUE_DICT, trace.items->n + 2);

	if (copy.kind == VALUE_DICT && events.kind == VALUE_LIST &&
	    value_push_all(a, copy, trace.items->v, trace.items->n) &&
	    value_push(a, copy, value_str(str_of("events"))) &&
	    value_push(a, copy, events))
		return copy;
	return (struct value){.kind = VALUE_ABSENT};
}

static bool has_room(struct mix *mix)
{
	if (mix->joined == NULL)
		mix->joined = calloc(records_count(mix->records) + 1,
				     sizeof(*mix->joined));
	return mix->joined != NULL;
}

static int join(struct mix *mix, struct sample *sample, int64_t at,
		struct err *err)
{
	struct value made, trace;
	int code;

	if (at == RECORDS_NONE)
		return 0;
	if (at == RECORDS_FAILED || !has_room(mix))
		return err_memory(err);
	mix->joined[at] = true;
	code = records_sample(mix->records, (size_t)at, &mix->arena, &made,
			      err);
	if (code < 0)
		return code;
	trace = value_get(made, "trace");
	if (sample->trace.kind == VALUE_DICT)
		trace = with_events(
			&mix->arena, sample->trace,
			joined_events(&mix->arena,
				      value_get(sample->trace, "events"),
				      value_get(trace, "events")));
	if (trace.kind == VALUE_ABSENT)
		return arena_error(&mix->arena, err);
	sample->trace = trace;
	return 0;
}

/* Records of any trace whose sample is not in the dump. */
static int join_named(struct mix *mix, struct sample *sample,
		      struct value index, struct err *err)
{
	int64_t at = records_find_named(mix->records, index);
	int code = 0;

	for (; code == 0 && at >= 0; at = records_next_named(mix->records, at))
		if (mix->joined == NULL || !mix->joined[at])
			code = join(mix, sample, at, err);
	return at == RECORDS_FAILED ? err_memory(err) : code;
}

static void note_times(struct mix *mix, struct value events)
{
	for (uint32_t i = 0; is_sequence(events) && i < events.items->n; i++) {
		double ts = NAN;

		value_to_float(value_get(events.items->v[i], "ts"), &ts);
		interval_add(&mix->own, ts);
	}
}

/* Times --------------------------------------------------------------------- */

static struct interval around(struct interval interval, double seconds)
{
	return (struct interval){interval.start - seconds,
				 interval.end + seconds};
}

bool mix_must_see(const struct mix *mix)
{
	struct interval times = records_times(mix->records);

	return times.end - times.start > record_apart;
}

int mix_see(struct mix *mix, const struct sample *sample, struct err *err)
{
	struct sample copy = *sample;

	arena_reset(&mix->arena);
	if (sample_trace_write(&copy, &mix->arena, err) < 0)
		return err->code;
	note_times(mix, value_get(copy.trace, "events"));
	return 0;
}

static void find_near(struct mix *mix)
{
	mix->any_near = records_within(mix->records,
				       around(mix->own, sample_apart)) > 0;
}

static void note_skipped(struct mix *mix, struct interval times)
{
	mix->before = fmax(mix->before, mix->own.start - times.start);
	mix->after = fmax(mix->after, times.end - mix->own.end);
}

void mix_settle(struct mix *mix)
{
	struct interval kept = around(mix->own, record_apart);
	struct interval times = records_times(mix->records);

	find_near(mix);
	if (!mix->any_near)
		return;
	mix->far = records_within(mix->records, times) -
		   records_within(mix->records, kept);
	records_keep(mix->records, kept);
	if (times.start < kept.start)
		mix->before = mix->own.start - times.start;
	if (times.end > kept.end)
		mix->after = times.end - mix->own.end;
}

/* Is nothing of a sample that is not in the dump to be used? */
static bool is_elsewhere(struct mix *mix, size_t i)
{
	struct interval near = around(mix->own, sample_apart);
	size_t n;
	struct interval times = records_sample_times(mix->records, i, &n);

	if (!mix->any_near || times.start > times.end)
		return n == 0;
	if (times.end > near.start && times.start < near.end)
		return false;
	mix->elsewhere += n;
	note_skipped(mix, times);
	return true;
}

/* ------------------------------------------------------------------------- */

int mix_add(struct mix *mix, struct sample *sample, struct err *err)
{
	static const struct value none = {.kind = VALUE_ABSENT};
	struct value id = value_get(sample->trace, "trace_id");
	struct value index = sample->index;
	int code;

	arena_reset(&mix->arena);
	if (sample_trace_write(sample, &mix->arena, err) < 0)
		return err->code;
	mix->samples = sample->position + 1;
	note_times(mix, value_get(sample->trace, "events"));
	if (index.kind == VALUE_ABSENT)
		index = value_int((int64_t)sample->position);
	if (!value_truth(id))
		return join_named(mix, sample, index, err);
	code = join(mix, sample, records_find(mix->records, id, none), err);
	if (code == 0 && index.kind > VALUE_NONE)
		code = join(mix, sample,
			    records_find(mix->records, none, index), err);
	return code;
}

int mix_next(struct mix *mix, struct sample *sample, struct err *err)
{
	struct value v;

	arena_reset(&mix->arena);
	if (!has_room(mix))
		return err_memory(err);
	if (mix->next == 0)
		find_near(mix);
	while (mix->next < records_count(mix->records) &&
	       (mix->joined[mix->next] || is_elsewhere(mix, mix->next)))
		mix->next++;
	if (mix->next == records_count(mix->records))
		return 0;
	if (records_sample(mix->records, mix->next++, &mix->arena, &v, err) < 0)
		return err->code;
	sample_from(sample, v);
	sample->position = mix->samples++;
	sample->is_stray = true;
	return 1;
}
