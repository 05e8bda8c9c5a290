#include "rollout/engine_logs.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_text.h"
#include "rollout/engine_parts.h"
#include "rollout/foreign/carrier.h"
#include "rollout/foreign/foreign.h"
#include "rollout/perf_keys.h"
#include "rollout/span_attrs.h"

/* What may be added to a span of the dump. */
static const char *const wanted[] = {
	"queue_time",	 "e2e_latency",	  "decode_throughput",
	"prompt_tokens", "cached_tokens", "completion_tokens",
	"finish_reason", "dp_rank",	  "weight_version",
};

bool engine_logs_detect(struct str head)
{
	const struct foreign_format *format = foreign_detect(head);

	return format == &sglang_log_format || format == &otlp_format;
}

struct engine_logs *engine_logs_new(void)
{
	struct engine_logs *logs = calloc(1, sizeof(*logs));

	if (logs == NULL)
		return NULL;
	logs->texts = intern_new(LIMIT_KEPT);
	logs->kept = arena_new(LIMIT_KEPT);
	logs->made = arena_new(LIMIT_SAMPLE);
	logs->text = buf_new(LIMIT_STRING);
	return logs;
}

void engine_logs_free(struct engine_logs *logs)
{
	if (logs == NULL)
		return;
	foreign_close(logs->reader);
	free(logs->logs);
	free(logs->records);
	free(logs->ids);
	intern_free(&logs->texts);
	arena_free(&logs->kept);
	arena_free(&logs->made);
	buf_free(&logs->text);
	free(logs);
}

size_t engine_logs_count(const struct engine_logs *logs)
{
	return logs->log_count;
}

const struct engine_log *engine_logs_get(const struct engine_logs *logs,
					 size_t i)
{
	return &logs->logs[i];
}

size_t engine_logs_records(const struct engine_logs *logs)
{
	return logs->count;
}

size_t engine_logs_unused(const struct engine_logs *logs)
{
	size_t n = 0;

	for (size_t i = 0; i < logs->count; i++)
		n += !logs->records[i].used;
	return n;
}

/* Ids ------------------------------------------------------------------- */

/* The id of a request as text; false if it has none. A record of an engine, or
 * of a format that marks its requests, may call it id. */
static bool put_id(struct buf *text, struct value attrs, bool marked)
{
	static const char *const keys[] = {"sglang_request_id",
					   "gen_ai.request.id", "rid", "id"};
	size_t n = ARRAY_SIZE(keys) - !marked;

	buf_clear(text);
	for (size_t i = 0; i < n; i++) {
		struct value v = value_get(attrs, keys[i]);

		if (v.kind != VALUE_INT && (v.kind != VALUE_STR || v.n == 0))
			continue;
		value_put_str(text, v);
		return !text->failed;
	}
	return false;
}

struct engine_id *engine_id_of(struct engine_logs *logs, struct value attrs,
			       bool marked)
{
	uint32_t number;

	if (!put_id(&logs->text, attrs, marked))
		return NULL;
	number = intern_find(&logs->texts, buf_str(&logs->text));
	return number == INTERN_FAILED ? NULL : &logs->ids[number];
}

/* Records --------------------------------------------------------------- */

/* A copy of a number or a text that outlives the row; absent for others. */
static struct value kept_copy(struct arena *a, struct value v)
{
	struct str text;

	if (v.kind == VALUE_BOOL || v.kind == VALUE_INT ||
	    v.kind == VALUE_FLOAT)
		return v;
	if (v.kind != VALUE_STR && v.kind != VALUE_BIGINT)
		return (struct value){.kind = VALUE_ABSENT};
	text = arena_str(a, value_text(v));
	v.p = text.p;
	return v;
}

static void keep(struct arena *a, struct value dict, const char *key,
		 struct value v)
{
	v = kept_copy(a, v);
	if (v.kind == VALUE_ABSENT || dict.kind != VALUE_DICT)
		return;
	if (!value_push(a, dict, value_literal(key)) || !value_push(a, dict, v))
		a->failed = true;
}

static double number_of(struct value attrs, const char *key)
{
	double number;

	return member_number(attrs, key, &number) ? number : (double)NAN;
}

/* Add a part's times if both are known. */
static void set_part(struct engine_record *record, enum engine_part part,
		     double start, double end)
{
	if (end >= start) /* false if NAN */
		record->parts[part] = (struct part_times){start, end};
}

/* In a disaggregated request, the prefill engine ends after one token, and the
 * decode engine does not prefill. */
static enum engine_side side_of(struct value attrs)
{
	double tokens = number_of(attrs, "completion_tokens");

	if (isnan(number_of(attrs, "forward_entry_time")))
		return SIDE_WHOLE;
	if (isnan(number_of(attrs, "prefill_finished_time")))
		return SIDE_DECODE;
	return tokens <= 1 ? SIDE_PREFILL : SIDE_WHOLE;
}

/* The parts of a request in SGLang's log. */
static void read_times(struct engine_record *record, struct value attrs)
{
	double forward = number_of(attrs, "forward_entry_time");
	double prefilled = number_of(attrs, "prefill_finished_time");
	double queued = number_of(attrs, "queue_time");
	double decoding = record->side == SIDE_DECODE ? forward : prefilled;

	if (queued > 0)
		set_part(record, PART_QUEUE, forward - queued, forward);
	set_part(record, PART_PREFILL, forward, prefilled);
	if (number_of(attrs, "completion_tokens") > 1)
		set_part(record, PART_DECODE, decoding, record->end);
}

/* The time of each side, as the trainer counts it: prefill includes the
 * transfer after it. */
static void keep_sides(struct engine_logs *logs, struct engine_record *record,
		       struct value attrs)
{
	double forward = number_of(attrs, "forward_entry_time");
	double prefilled = number_of(attrs, "prefill_finished_time");
	struct arena *a = &logs->kept;

	if (record->side == SIDE_PREFILL && record->end >= prefilled) {
		keep(a, record->sides, "pd_prefill_forward_duration",
		     value_float(record->end - forward));
		keep(a, record->sides, "pd_prefill_transfer_queue_duration",
		     value_float(record->end - prefilled));
	}
	if (record->side == SIDE_DECODE && record->end >= forward)
		keep(a, record->sides, "pd_decode_forward_duration",
		     value_float(record->end - forward));
}

/* Link the record with others of its id. 0 or an error. */
static int link_record(struct engine_logs *logs, struct engine_record *record,
		       struct err *err)
{
	uint32_t known = logs->texts.count;
	uint32_t number = intern_add(&logs->texts, buf_str(&logs->text));
	struct engine_id *id;

	if (number == INTERN_FAILED)
		return intern_error(&logs->texts, err);
	if (!ARRAY_GROW(logs->ids, number, logs->id_cap))
		return err_memory(err);
	id = &logs->ids[number];
	if (number == known)
		*id = (struct engine_id){.first = RECORD_NONE,
					 .last = RECORD_NONE};
	if (id->log != record->log)
		id->in_log = 0;
	id->log = record->log;
	record->id = number;
	record->ordinal = id->in_log++;
	if (id->last == RECORD_NONE)
		id->first = (int32_t)logs->count;
	else
		logs->records[id->last].next = (int32_t)logs->count;
	id->last = (int32_t)logs->count;
	logs->records[logs->count++] = *record;
	logs->logs[record->log].records++;
	return 0;
}

/* Keep a request with these attributes and figures. *added is its record,
 * unless it has no id. 0 or an error. */
static int add_record(struct engine_logs *logs, struct value attrs,
		      struct value figures, struct part_times times,
		      struct engine_record **added, struct err *err)
{
	static const struct part_times unknown = {(double)NAN, (double)NAN};
	struct engine_record record = {.log = (uint32_t)logs->log_count - 1,
				       .next = RECORD_NONE,
				       .side = side_of(attrs),
				       .start = times.start,
				       .end = times.end,
				       .seen = unknown};
	struct arena *a = &logs->kept;

	*added = NULL;
	if (!put_id(&logs->text, attrs, true))
		return 0;
	if (logs->count == INT32_MAX ||
	    !ARRAY_GROW(logs->records, logs->count, logs->cap))
		return err_memory(err);
	for (int i = 0; i < PARTS; i++)
		record.parts[i] = unknown;
	record.attrs = value_new(a, VALUE_DICT, 32);
	record.sides = value_new(a, VALUE_DICT, 8);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct value v = value_get(figures, wanted[i]);

		keep(a, record.attrs, wanted[i],
		     v.kind == VALUE_ABSENT ? value_get(attrs, wanted[i]) : v);
	}
	read_times(&record, attrs);
	keep_sides(logs, &record, attrs);
	for (size_t m = PERF_FIRST_PD; m < PERF_METRICS; m++) {
		const char *key = perf_metrics[m].attr.p;
		struct value v = value_get(figures, key);

		keep(a, record.sides, key,
		     v.kind == VALUE_ABSENT ? value_get(attrs, key) : v);
	}
	if (a->failed)
		return arena_error(a, err);
	if (link_record(logs, &record, err) < 0)
		return err->code;
	*added = &logs->records[logs->count - 1];
	return 0;
}

/* The first span of each name that OTLP uses for a part. */
static void read_stages(struct engine_record *record,
			const struct sample_trace *trace)
{
	static const struct {
		const char *name;
		enum engine_part part;
	} stages[] = {
		{"prefill_waiting", PART_QUEUE},
		{"prefill_forward", PART_PREFILL},
		{"decode_forward", PART_DECODE},
	};

	for (uint32_t i = 0; i + 1 < trace->count; i++) {
		const struct event *start = &trace->events[i];
		const struct event *end = &trace->events[i + 1];

		if (start->kind != EVENT_START || end->kind != EVENT_END ||
		    start->id != end->id)
			continue;
		for (size_t s = 0; s < ARRAY_SIZE(stages); s++)
			if (value_is_str(start->name, stages[s].name) &&
			    isnan(record->parts[stages[s].part].start))
				set_part(record, stages[s].part, start->ts,
					 end->ts);
	}
}

/* The requests of a row of the log. A span's start precedes its end. */
static int add_requests(struct engine_logs *logs, const struct sample *sample,
			struct err *err)
{
	struct value figures = sample_field(sample, "meta_info");
	struct part_times times = {(double)NAN, (double)NAN};
	struct engine_record *record = NULL;
	struct sample_trace trace;
	size_t before = logs->count;

	if (figures.kind == VALUE_DICT)
		return add_record(logs, sample_field(sample, "unplaced"),
				  figures, times, &record, err);
	if (sample_trace_read(&trace, sample, &logs->made, err) < 0)
		return err->code;
	for (uint32_t i = 1; i < trace.count; i++) {
		const struct event *end = &trace.events[i];
		const struct event *start = end - 1;

		if (end->kind != EVENT_END || end->request.kind != VALUE_DICT ||
		    start->kind != EVENT_START || start->id != end->id)
			continue;
		times = (struct part_times){start->ts, end->ts};
		if (add_record(logs, end->attrs, end->request, times, &record,
			       err) < 0)
			return err->code;
	}
	if (record != NULL && logs->count == before + 1)
		read_stages(record, &trace);
	return 0;
}

/* Reading --------------------------------------------------------------- */

int engine_logs_begin(struct engine_logs *logs, struct input *input,
		      const char *name, const char *worker, struct err *err)
{
	foreign_close(logs->reader);
	logs->reader = NULL;
	if (!ARRAY_GROW(logs->logs, logs->log_count, logs->log_cap))
		return err_memory(err);
	logs->reader =
		foreign_open(foreign_detect(input->head), &input->source);
	if (logs->reader == NULL)
		return err_memory(err);
	logs->logs[logs->log_count++] = (struct engine_log){
		.name = name, .worker = worker, .first = logs->count};
	return 0;
}

int engine_logs_next(struct engine_logs *logs, struct err *err)
{
	struct sample sample;
	int got;

	arena_reset(&logs->made);
	got = foreign_next(logs->reader, &logs->made, &sample, err);
	if (got <= 0)
		return got;
	if (add_requests(logs, &sample, err) == 0)
		return 1;
	foreign_stop(logs->reader);
	return err->code;
}

struct losses engine_logs_losses(const struct engine_logs *logs)
{
	return foreign_losses(logs->reader);
}

bool engine_logs_can_continue(const struct engine_logs *logs)
{
	return foreign_can_continue(logs->reader);
}
