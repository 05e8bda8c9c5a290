#include "rollout/perf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/stats.h"
#include "fmt/value/value_python.h"
#include "rollout/perf_keys.h"
#include "rollout/sample_trace.h"
#include "rollout/span_attrs.h"

/* How deep below its request a PD timing may be. */
enum { CLIMB_MAX = 64 };

/* Index in perf_metrics. */
enum { QUEUE_TIME = 1 };

/* Samples of maximum length, for the longest_* metrics. */
struct longest {
	double length; /* tokens; -1 before the first sample */
	double total;  /* of all samples */
	double waited; /* non-generation seconds of the longest ones */
	uint64_t samples;
};

struct perf {
	struct stats of[PERF_METRICS];
	struct perf_counts counts;
	struct perf_negatives negatives;
	uint64_t measured;	     /* samples with a length */
	bool lengths_known;	     /* of at least one sample */
	struct stats non_generation; /* seconds, one value per sample */
	struct longest by_response;
	struct longest by_effective; /* length is the sum of the loss mask */
};

struct perf *perf_new(void)
{
	struct perf *perf = calloc(1, sizeof(*perf));

	if (perf == NULL)
		return NULL;
	perf->by_response.length = -1;
	perf->by_effective.length = -1;
	return perf;
}

void perf_free(struct perf *perf)
{
	if (perf == NULL)
		return;
	for (size_t i = 0; i < PERF_METRICS; i++)
		stats_free(&perf->of[i]);
	stats_free(&perf->non_generation);
	free(perf);
}

struct perf_counts perf_counts(const struct perf *perf)
{
	return perf->counts;
}

const struct stats *perf_metric_values(const struct perf *perf, size_t metric)
{
	return &perf->of[metric];
}

struct perf_negatives perf_negatives(const struct perf *perf)
{
	return perf->negatives;
}

/* Is the value valid for a metric? */
static bool number_of(struct value v, double *d)
{
	v = value_plain(v);
	if (v.kind == VALUE_FLOAT)
		*d = v.f;
	else if (v.kind == VALUE_INT)
		*d = (double)v.i;
	else if (v.kind != VALUE_BIGINT || !num_parse_double(value_text(v), d))
		return false;
	return isfinite(*d);
}

/* Requests ------------------------------------------------------------ */

struct perf_request {
	struct perf *perf; /* the summary it belongs to */
	bool own_pd;	   /* has PD timings among its own attributes */
	bool counted;	   /* has contributed a value */
};

/* The values of the metrics in attrs; the last of equal keys counts. */
static void find_metrics(struct value attrs, struct value of[PERF_METRICS])
{
	const struct value_items *items = attrs.items;

	memset(of, 0, PERF_METRICS * sizeof(*of));
	for (uint32_t i = 0; i < items->n; i += 2) {
		struct str key = value_text(items->v[i]);

		if (items->v[i].kind != VALUE_STR)
			continue;
		for (size_t m = 0; m < PERF_METRICS; m++)
			if (str_eq(key, perf_metrics[m].attr))
				of[m] = items->v[i + 1];
	}
}

static void count_negative(struct perf_negatives *negatives, size_t metric)
{
	if (metric == QUEUE_TIME)
		negatives->queues++;
	else if (negatives->others++ == 0)
		negatives->other = perf_metrics[metric].attr.p;
}

/* Add the metrics from..to of these; returns how many, or -1. */
static int add_metrics(struct perf *perf, const struct value of[PERF_METRICS],
		       size_t from, size_t to)
{
	int taken = 0;

	for (size_t m = from; m < to; m++) {
		double d;

		if (of[m].kind == VALUE_ABSENT || !number_of(of[m], &d))
			continue;
		if (!stats_add(&perf->of[m], d))
			return -1;
		if (d < 0)
			count_negative(&perf->negatives, m);
		taken++;
	}
	return taken;
}

static int take_metrics(struct perf *perf, struct value attrs, size_t from,
			size_t to)
{
	struct value of[PERF_METRICS];

	find_metrics(attrs, of);
	return add_metrics(perf, of, from, to);
}

static bool may_hold_pd(const struct event *e)
{
	return e->kind != EVENT_START && e->has_attrs && is_pd_part(e->name);
}

/* The requests of one sample: by event, and by the id of their span. */
struct requests {
	struct perf_request *of;   /* in order */
	int32_t *of_id;		   /* index in of, or -1; NULL: not needed */
	int32_t *parent;	   /* likewise: id of each id's parent span */
	struct value *start_attrs; /* by id; NULL: not needed */
	uint32_t n;
	struct perf *perf; /* the summary if there is no split */
	struct perf_split *split;
};

static struct perf *perf_of(const struct requests *requests,
			    const struct event *e, struct err *err)
{
	struct value start_attrs = {.kind = VALUE_ABSENT};

	if (requests->split == NULL)
		return requests->perf;
	if (e->id != SPAN_ID_NONE)
		start_attrs = requests->start_attrs[e->id];
	return requests->split->of(requests->split, e->attrs, start_attrs, err);
}

static int take_request(struct requests *requests, const struct event *e,
			struct err *err)
{
	struct perf_request *request = &requests->of[requests->n];
	struct value figures = e->request.kind == VALUE_DICT ? e->request
							     : e->attrs;
	struct value of[PERF_METRICS];
	int plain, pd;

	request->perf = perf_of(requests, e, err);
	if (request->perf == NULL)
		return err->code;
	find_metrics(figures, of);
	plain = add_metrics(request->perf, of, 0, PERF_FIRST_PD);
	pd = add_metrics(request->perf, of, PERF_FIRST_PD, PERF_METRICS);
	request->own_pd = pd > 0;
	request->counted = plain + pd > 0;
	if (e->id != SPAN_ID_NONE && requests->of_id != NULL)
		requests->of_id[e->id] = (int32_t)requests->n;
	requests->n++;
	return plain < 0 || pd < 0 ? err_memory(err) : 0;
}

/* The request above a PD span or event, or NULL. */
static struct perf_request *request_above(const struct requests *requests,
					  const struct event *e)
{
	int32_t id = e->parent;

	if (e->kind == EVENT_END && e->id != SPAN_ID_NONE)
		id = requests->parent[e->id];
	for (int steps = 0; id != SPAN_ID_NONE && steps < CLIMB_MAX; steps++) {
		if (requests->of_id[id] >= 0)
			return &requests->of[requests->of_id[id]];
		id = requests->parent[id];
	}
	return NULL;
}

static int take_events(struct requests *requests,
		       const struct sample_trace *trace, struct err *err)
{
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];

		if (e->kind == EVENT_START && requests->parent != NULL)
			requests->parent[e->id] = e->parent;
		if (e->kind == EVENT_START && requests->start_attrs != NULL)
			requests->start_attrs[e->id] = e->attrs;
		if (is_request_end(e) && take_request(requests, e, err) < 0)
			return err->code;
	}
	if (requests->n == 0 || requests->of_id == NULL)
		return 0;
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];
		struct perf_request *request = NULL;
		int taken;

		if (may_hold_pd(e))
			request = request_above(requests, e);
		if (request == NULL || request->own_pd)
			continue;
		taken = take_metrics(request->perf, e->attrs, PERF_FIRST_PD,
				     PERF_METRICS);
		if (taken < 0)
			return err_memory(err);
		request->counted |= taken > 0;
	}
	return 0;
}

/* Make room for what is known by id, if an event may hold PD timings of a
 * request. False: no memory. */
static bool prepare_ids(struct requests *requests,
			const struct sample_trace *trace)
{
	size_t ids = trace->ids.count, size = 2 * ids * sizeof(int32_t);
	uint32_t i = 0;

	while (i < trace->count && !may_hold_pd(&trace->events[i]))
		i++;
	if (i == trace->count)
		return true;
	requests->of_id = arena_alloc(trace->arena, size);
	if (requests->of_id == NULL)
		return false;
	memset(requests->of_id, 0xff, size); /* SPAN_ID_NONE */
	requests->parent = requests->of_id + ids;
	return true;
}

static int take_trace(struct perf *perf, struct perf_split *split,
		      const struct sample_trace *trace, struct err *err)
{
	struct arena *a = trace->arena;
	struct requests requests = {
		.of = arena_alloc(a, trace->count * sizeof(*requests.of)),
		.perf = perf,
		.split = split};

	if (split != NULL)
		requests.start_attrs =
			arena_array(a, trace->ids.count + (size_t)1,
				    sizeof(*requests.start_attrs));
	if (requests.of == NULL || !prepare_ids(&requests, trace) ||
	    (split != NULL && requests.start_attrs == NULL))
		return arena_error(a, err);
	if (take_events(&requests, trace, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < requests.n; i++) {
		requests.of[i].perf->counts.requests++;
		requests.of[i].perf->counts.profiled += requests.of[i].counted;
	}
	return 0;
}

/* Samples ------------------------------------------------------------- */

static void take_length(struct longest *longest, double length, double waited)
{
	longest->total += length;
	if (length > longest->length)
		*longest = (struct longest){.length = length,
					    .total = longest->total};
	if (length == longest->length) {
		longest->waited += waited;
		longest->samples++;
	}
}

/* A member of a sample; 0 if it is not a number, or negative, which is counted.
 */
static double number_of_sample(struct perf *perf, struct value v,
			       const char *name)
{
	double d;

	v = value_plain(v);
	if (v.kind == VALUE_BOOL)
		return v.b;
	if (!number_of(v, &d))
		return 0;
	if (d < 0 && perf->negatives.unused++ == 0)
		perf->negatives.unused_name = name;
	return d < 0 ? 0 : d;
}

int perf_add_sample(struct perf *perf, const struct sample *s, struct err *err)
{
	double length =
		number_of_sample(perf, s->response_length, "response_length");
	double waited = number_of_sample(perf, s->non_generation_time,
					 "non_generation_time");
	double effective = length;

	if (s->loss_mask.kind == VALUE_SKIPPED && s->loss_mask.skipped != NULL)
		effective = s->loss_mask.skipped->sum;
	perf->counts.samples++;
	if (s->response_length.kind == VALUE_NONE)
		return 0; /* of unknown length */
	perf->lengths_known |= s->response_length.kind != VALUE_ABSENT ||
			       s->loss_mask.kind == VALUE_SKIPPED;
	take_length(&perf->by_response, length, waited);
	take_length(&perf->by_effective, effective, waited);
	perf->measured++;
	return stats_add(&perf->non_generation, waited) ? 0 : err_memory(err);
}

/* An SGLang response is one request, whose meta_info has the attributes that
 * slime gives its span. */
static int take_response(struct perf *perf, struct perf_split *split,
			 const struct sample *sample, struct err *err)
{
	struct value none = {.kind = VALUE_ABSENT};
	int taken;

	if (sample->meta_info.kind != VALUE_DICT)
		return 0;
	if (split != NULL)
		perf = split->of(split, sample->meta_info, none, err);
	if (perf == NULL)
		return err->code;
	taken = take_metrics(perf, sample->meta_info, 0, PERF_METRICS);
	perf->counts.requests++;
	perf->counts.profiled += taken > 0;
	return taken < 0 ? err_memory(err) : 0;
}

int perf_add_requests(struct perf *perf, struct perf_split *split,
		      const struct sample *sample,
		      const struct sample_trace *trace, struct err *err)
{
	if (take_response(perf, split, sample, err) < 0)
		return err->code;
	return trace->count == 0 ? 0 : take_trace(perf, split, trace, err);
}

/* Results ------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 96 };

/* Where figures are added; a failure stays in code. */
struct results {
	struct figures *figures;
	const struct perf_wanted *wanted;
	struct err *err;
	int code;
};

static void put_value(struct results *to, const char *name,
		      const char *statistic, double v)
{
	if (to->code == 0)
		to->code = figures_add_statistic(to->figures, name, statistic,
						 (double)NAN,
						 (struct figure){.value = v},
						 to->err);
}

static void put_count(struct results *to, const char *name, uint64_t n)
{
	if (to->code == 0)
		to->code = figures_add_statistic(
			to->figures, name, "", (double)NAN,
			(struct figure){.value = (double)n, .count = true},
			to->err);
}

/* mean, median, max, min and the percentiles of one metric. */
static void put_stats(struct stats *s, const char *name, struct results *to)
{
	double mean;

	if (s->n == 0)
		return;
	mean = stats_mean(s->v, s->n);
	stats_sort(s);
	put_value(to, name, "mean", mean);
	put_value(to, name, "median", stats_median(s));
	put_value(to, name, "max", s->v[s->n - 1]);
	put_value(to, name, "min", s->v[0]);
	for (size_t i = 0; to->code == 0 && i < to->wanted->percentile_count;
	     i++) {
		double percent = to->wanted->percentiles[i];
		struct figure figure = {.value = stats_percentile(s, percent)};

		to->code = figures_add_statistic(to->figures, name, "", percent,
						 figure, to->err);
	}
}

/* The longest_* metrics for one kind of length; word is "" or "effective_". */
static void put_longest(const struct longest *longest, const char *word,
			bool waited, struct results *to)
{
	double seconds = to->wanted->rollout_time;
	double wait = longest->waited / (double)longest->samples;
	char name[NAME_MAX_BYTES];

	if (to->wanted->rollout_gpus > 0) {
		snprintf(name, sizeof(name), "%stokens_per_gpu_per_sec", word);
		put_value(to, name, "",
			  longest->total / seconds / to->wanted->rollout_gpus);
	}
	snprintf(name, sizeof(name), "longest_%ssample_tokens_per_sec", word);
	put_value(to, name, "", longest->length / seconds);
	if (!waited)
		return;
	snprintf(name, sizeof(name), "longest_%ssample_non_generation_time",
		 word);
	put_value(to, name, "", wait);
	if (seconds - wait == 0)
		return;
	snprintf(name, sizeof(name),
		 "longest_%ssample_tokens_per_sec_without_non_generation",
		 word);
	put_value(to, name, "", longest->length / (seconds - wait));
}

/* Metrics that depend on the duration of the whole rollout. */
static void put_rollout(struct perf *perf, struct results *to)
{
	bool waited = false;

	if (to->wanted->rollout_time <= 0 || perf->measured == 0)
		return;
	for (size_t i = 0; i < perf->non_generation.n; i++)
		waited |= perf->non_generation.v[i] > 0;
	put_value(to, "rollout_time", "", to->wanted->rollout_time);
	if (waited)
		put_stats(&perf->non_generation, "non_generation_time", to);
	if (!perf->lengths_known)
		return; /* rather than rates of 0 */
	put_longest(&perf->by_response, "", waited, to);
	put_longest(&perf->by_effective, "effective_", waited, to);
}

int perf_figures(struct perf *perf, const struct perf_wanted *wanted,
		 struct figures *figures, struct err *err)
{
	struct results to = {figures, wanted, err, 0};

	put_count(&to, "request/count", perf->counts.requests);
	put_count(&to, "request/profiled_count", perf->counts.profiled);
	for (size_t m = 0; m < PERF_METRICS; m++)
		put_stats(&perf->of[m], perf_metrics[m].key, &to);
	put_rollout(perf, &to);
	return to.code;
}
