#include "rollout/what_if/answers.h"

#include <stdlib.h>

#include "base/array.h"
#include "fmt/value/value_python.h"
#include "rollout/pd_times.h"
#include "rollout/timed_row.h"

/* How deep below its request a PD span may be. */
enum { CLIMB_MAX = 8 };

static const char forward_key[] = "pd_decode_forward_duration";

void answers_free(struct answers *list)
{
	free(list->v);
	*list = (struct answers){0};
}

static double number_in(struct value attrs, const char *key)
{
	struct value v = value_plain(value_get(attrs, key));
	double d;

	return v.kind != VALUE_BOOL && value_number(v, &d) && isfinite(d)
		       ? d
		       : (double)NAN;
}

/* The engine's answer is in the end attributes, or in the start for some. */
static double number_of(const struct item *item, const char *key)
{
	double d = number_in(item->end_attrs, key);

	return isnan(d) ? number_in(item->start_attrs, key) : d;
}

/* The request above an item; NULL if there is none. numbers: by item, of the
 * row's requests from 1; 0: not a request. */
static struct answer_attrs *request_above(struct answer_attrs *requests,
					  const uint32_t *numbers,
					  const struct row *row,
					  const struct item *item)
{
	item = item->parent;
	for (int step = 0; item != NULL && step < CLIMB_MAX; step++) {
		uint32_t number = numbers[item - row->items];

		if (number > 0)
			return &requests[number - 1];
		item = item->parent;
	}
	return NULL;
}

/* Seconds of the prefill phase in these attributes. */
static double prefill_in(struct value attrs)
{
	double sum = 0;

	for (size_t s = 0; s < PD_SEGMENTS; s++)
		sum += pd_segment_seconds(attrs, 0, s);
	return sum;
}

/* May it be a span with PD timings of the request above it? */
static bool is_below_request(const struct item *item)
{
	return item->state == ITEM_CLOSED && item->role == ROLE_NONE &&
	       item->parent != NULL && !item->is_request;
}

/* PD timings in the newer form are spans below the request; a request with its
 * own timings has them all. */
static void add_prefills(struct answer_attrs *requests, const uint32_t *numbers,
			 const struct row *row)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		struct answer_attrs *answer;
		double prefill;

		if (!is_below_request(item))
			continue;
		prefill = prefill_in(item->end_attrs);
		if (prefill == 0)
			continue;
		answer = request_above(requests, numbers, row, item);
		if (answer != NULL && isnan(answer->pd_forward))
			answer->pd_prefill += prefill;
	}
}

static void add_forwards(struct answer_attrs *requests, const uint32_t *numbers,
			 const struct row *row)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		struct answer_attrs *answer;
		double forward;

		if (!is_below_request(item))
			continue;
		forward = number_in(item->end_attrs, forward_key);
		if (!(forward > 0))
			continue;
		answer = request_above(requests, numbers, row, item);
		if (answer != NULL && isnan(answer->pd_forward))
			answer->pd_forward = forward;
	}
}

static int add_request(struct answers *list, struct workers *workers,
		       const struct sample *sample, const struct item *item,
		       struct answer_attrs answer, struct err *err)
{
	int64_t worker = workers_number(workers, item, sample, err);

	if (worker < 0)
		return (int)worker;
	if (!ARRAY_GROW(list->v, list->n, list->cap))
		return err_memory(err);
	answer.worker = (uint32_t)worker;
	answer.prompt = number_of(item, "prompt_tokens");
	answer.cached = number_of(item, "cached_tokens");
	answer.completion = number_of(item, "completion_tokens");
	if (answer.completion < 0)
		answer.completion = (double)NAN;
	answer.latency = number_of(item, "e2e_latency");
	answer.queue = number_of(item, "queue_time");
	answer.throughput = number_of(item, "decode_throughput");
	answer.pd_forward = number_of(item, forward_key);
	answer.pd_prefill = prefill_in(item->end_attrs);
	list->v[list->n++] = answer;
	return 0;
}

int answers_add(struct answers *list, struct workers *workers,
		const struct sample *sample, const struct row *row,
		size_t place, struct err *err)
{
	uint32_t *numbers = calloc(row->item_count + 1, sizeof(*numbers));
	struct answer_attrs answer = {.place = place};
	size_t first = list->n;
	uint32_t spans = 0;
	int code = numbers == NULL ? err_memory(err) : 0;

	for (uint32_t i = 0; code == 0 && i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (!item_is_timed_span(item))
			continue;
		answer.span = spans++;
		if (item->state != ITEM_CLOSED || !item->is_request)
			continue;
		code = add_request(list, workers, sample, item, answer, err);
		numbers[i] = (uint32_t)(list->n - first);
	}
	if (code == 0 && list->n > first) {
		add_prefills(&list->v[first], numbers, row);
		add_forwards(&list->v[first], numbers, row);
	}
	free(numbers);
	return code;
}
