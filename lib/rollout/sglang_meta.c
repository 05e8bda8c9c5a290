#include "rollout/sglang_meta.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/file/sse.h"
#include "fmt/json/json_read.h"
#include "fmt/value/value_filter.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"

/* More cannot be a part of one request; it also keeps sums in range. */
#define SECONDS_MAX 1e7

/* The attributes in slime's order, and the keys of meta_info. */
static const struct plain {
	const char *name, *key;
} plain[SGLANG_PLAIN] = {
	{"prompt_tokens", "prompt_tokens"},
	{"completion_tokens", "completion_tokens"},
	{"cached_tokens", "cached_tokens"},
	{"queue_time", "queue_time"},
	{"e2e_latency", "e2e_latency"},
	{"decode_throughput", "decode_throughput"},
	{"finish_reason", "finish_reason"},
	{"sglang_request_id", "id"},
};

enum { PROMPT = 0, COMPLETION = 1, CACHED = 2, FINISH = 6, REQUEST_ID = 7 };

static const char *const summary[SGLANG_SUMMARY] = {"pd_transfer_speed_gb_s",
						    "pd_transfer_total_mb",
						    "pd_prefill_retry_count"};

static const struct meta_phase {
	const char *name;
	struct {
		const char *name, *key;
	} segments[SGLANG_SEGMENTS];
} phases[SGLANG_PHASES] = {
	{"prefill",
	 {{"bootstrap_queue", "pd_prefill_bootstrap_queue_duration"},
	  {"bootstrap", "pd_prefill_bootstrap_duration"},
	  {"alloc_wait", "pd_prefill_alloc_wait_duration"},
	  {"forward", "pd_prefill_forward_duration"},
	  {"transfer_queue", "pd_prefill_transfer_queue_duration"}}},
	{"decode",
	 {{"prealloc", "pd_decode_prealloc_duration"},
	  {"bootstrap", "pd_decode_bootstrap_duration"},
	  {"alloc_wait", "pd_decode_alloc_wait_duration"},
	  {"transfer", "pd_decode_transfer_duration"},
	  {"forward", "pd_decode_forward_duration"}}},
};

const char *sglang_plain_name(size_t i)
{
	return plain[i].name;
}

const char *sglang_summary_name(size_t i)
{
	return summary[i];
}

const char *sglang_phase_name(size_t p)
{
	return phases[p].name;
}

const char *sglang_segment_name(size_t p, size_t i)
{
	return phases[p].segments[i].name;
}

struct sglang_meta sglang_meta_new(void)
{
	return (struct sglang_meta){.arena = arena_new(LIMIT_SAMPLE)};
}

void sglang_meta_free(struct sglang_meta *meta)
{
	arena_free(&meta->arena);
}

/* Keep a scalar longer than its response; other values, and null, are not
 * kept. */
static void keep(struct sglang_meta *meta, struct value *kept, struct value v)
{
	bool text = v.kind == VALUE_STR || v.kind == VALUE_BIGINT;

	if (v.kind < VALUE_BOOL || v.kind > VALUE_STR)
		return;
	if (text && kept->kind == v.kind &&
	    str_eq(value_text(*kept), value_text(v)))
		return;
	if (text)
		v.p = arena_str(&meta->arena, value_text(v)).p;
	if (!text || v.p != NULL)
		*kept = v;
}

/* An answer with another id starts empty. */
static void begin_answer(struct sglang_meta *meta, struct value id)
{
	struct value known = meta->plain[REQUEST_ID];
	struct arena arena;

	if (id.kind == VALUE_STR && known.kind == VALUE_STR &&
	    !str_eq(value_text(id), value_text(known))) {
		arena_reset(&meta->arena);
		arena = meta->arena;
		*meta = (struct sglang_meta){.arena = arena};
	}
	meta->any = true;
}

static void take_seconds(double *seconds, struct value v)
{
	double d;

	if (v.kind != VALUE_BOOL && value_number(v, &d) && d > 0 &&
	    d <= SECONDS_MAX)
		*seconds = d;
}

static void take_reason(struct sglang_meta *meta, struct value reason)
{
	if (reason.kind == VALUE_DICT)
		reason = value_get(reason, "type");
	keep(meta, &meta->plain[FINISH], reason);
}

static void take_meta_info(struct sglang_meta *meta, struct value info)
{
	begin_answer(meta, value_get(info, "id"));
	for (size_t i = 0; i < SGLANG_PLAIN; i++)
		if (i != FINISH)
			keep(meta, &meta->plain[i],
			     value_get(info, plain[i].key));
	take_reason(meta, value_get(info, "finish_reason"));
	for (size_t i = 0; i < SGLANG_SUMMARY; i++)
		keep(meta, &meta->summary[i], value_get(info, summary[i]));
	for (size_t p = 0; p < SGLANG_PHASES; p++)
		for (size_t i = 0; i < SGLANG_SEGMENTS; i++)
			take_seconds(&meta->seconds[p][i],
				     value_get(info,
					       phases[p].segments[i].key));
}

/* {"id", "choices": [{"finish_reason"}], "usage": {"prompt_tokens", ...}} */
static void take_openai(struct sglang_meta *meta, struct value answer,
			struct value choice)
{
	struct value usage = value_get(answer, "usage");
	struct value details = value_get(usage, "prompt_tokens_details");
	struct value id = value_get(answer, "id");

	begin_answer(meta, id);
	keep(meta, &meta->plain[REQUEST_ID], id);
	keep(meta, &meta->plain[PROMPT], value_get(usage, "prompt_tokens"));
	keep(meta, &meta->plain[COMPLETION],
	     value_get(usage, "completion_tokens"));
	keep(meta, &meta->plain[CACHED], value_get(details, "cached_tokens"));
	take_reason(meta, value_get(choice, "finish_reason"));
}

/* Add the data of a response, or a part of one. */
static void take_answer(struct sglang_meta *meta, struct value answer)
{
	struct value info = value_get(answer, "meta_info");
	struct value choices = value_get(answer, "choices");
	struct value choice = {.kind = VALUE_ABSENT};

	if (choices.kind == VALUE_LIST && choices.items->n > 0)
		choice = choices.items->v[0];
	if (info.kind != VALUE_DICT)
		info = value_get(choice, "meta_info");
	if (choices.kind == VALUE_LIST)
		take_openai(meta, answer, choice);
	if (info.kind == VALUE_DICT)
		take_meta_info(meta, info);
}

static int read_answers(struct sglang_meta *meta, struct json_reader *json,
			struct err *err)
{
	struct arena arena = arena_new(LIMIT_SAMPLE);
	int got = 1;

	while (got == 1 || (got < 0 && json_can_continue(json))) {
		struct value answer;

		arena_reset(&arena);
		got = json_next_sample(json, &arena, &answer, err);
		if (got == 1)
			take_answer(meta, answer);
	}
	arena_free(&arena);
	return got;
}

int sglang_meta_read(struct sglang_meta *meta, struct byte_source *source,
		     struct err *err)
{
	static const struct str wanted[] = {STR("meta_info"), STR("choices"),
					    STR("usage"), STR("id")};
	static const struct value_filter filter = {.wanted = wanted,
						   .count = ARRAY_SIZE(wanted)};
	struct json_reader *json;
	struct sse_source sse;
	int code;

	sse_open(&sse, source);
	json = json_open(&sse.source, &filter);
	code = json == NULL ? err_memory(err) : read_answers(meta, json, err);
	json_close(json);
	sse_close(&sse);
	return code;
}
