#include "rollout/stragglers.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/stats.h"
#include "fmt/json/json_text.h"
#include "fmt/value/value_python.h"
#include "rollout/span_attrs.h"

static const double second = 1e6; /* us */

/* Below this part of the median rate an engine was slow; above that multiple
 * of the median an answer was long; a wait is at least half of the time. */
static const double slow_rate = 0.75;
static const double long_answer = 1.5;
static const double long_wait = 0.5;

/* The first of all rows in some order. */
struct ranking {
	struct straggler *v;
	size_t n;
};

struct stragglers {
	struct span_names *names;
	size_t most; /* in each of the two */
	struct ranking last, longest;
	struct straggler *all; /* of both, made in the end */
	struct stats durations, tokens, rates;
	int64_t base;	 /* us, when the first row of all began */
	double earliest; /* seconds from there, when the earliest did */
};

struct stragglers *stragglers_new(size_t most, struct span_names *names)
{
	struct stragglers *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->most = most;
	s->names = names;
	s->last.v = calloc(most + 1, sizeof(*s->last.v));
	s->longest.v = calloc(most + 1, sizeof(*s->longest.v));
	if (s->last.v != NULL && s->longest.v != NULL)
		return s;
	stragglers_free(s);
	return NULL;
}

static void free_ranking(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->n; i++)
		buf_free(&ranking->v[i].texts);
	free(ranking->v);
}

void stragglers_free(struct stragglers *s)
{
	if (s == NULL)
		return;
	free_ranking(&s->last);
	free_ranking(&s->longest);
	free(s->all);
	stats_free(&s->durations);
	stats_free(&s->tokens);
	stats_free(&s->rates);
	free(s);
}

static bool finite_number(struct value v, double *d)
{
	return v.kind != VALUE_BOOL && value_number(v, d) && isfinite(*d);
}

/* What the row's generation spans say they completed; where none says so, the
 * sample's response_length; else NaN. */
static double tokens_of(const struct sample *sample, const struct row *row)
{
	double tokens = 0, one;
	bool any = false;

	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (item->state != ITEM_CLOSED || item->role != ROLE_NONE ||
		    !is_generation(item->name) ||
		    !finite_number(value_get(item->end_attrs,
					     "completion_tokens"),
				   &one))
			continue;
		tokens += one;
		any = true;
	}
	if (any)
		return tokens;
	return finite_number(sample->response_length, &tokens) ? tokens : NAN;
}

static struct straggler make(const struct sample *sample, const struct row *row,
			     const struct moments *m, int64_t base,
			     const struct span_names *names)
{
	double decode = m->activities[ACTIVITY_DECODE] / second;
	struct straggler one = {
		.last = NAN,
		.longest = NAN,
		.start = (double)(m->start - base) / second,
		.end = (double)(m->end - base) / second,
		.duration = (double)(m->end - m->start) / second,
		.tokens = tokens_of(sample, row),
		.waited = moments_activity(m),
	};

	one.rate = decode > 0 ? one.tokens / decode : NAN;
	one.waited_time = m->activities[one.waited] / second;
	if (m->held != NULL) {
		one.held = intern_text(&names->texts, m->held->name);
		one.held_time = m->held->time / second;
	}
	return one;
}

/* Did a end later, or else take longer? Rows come in the order of the dump. */
static bool is_later(const struct straggler *a, const struct straggler *b)
{
	return a->end != b->end ? a->end > b->end : a->duration > b->duration;
}

static bool is_longer(const struct straggler *a, const struct straggler *b)
{
	return a->duration != b->duration ? a->duration > b->duration
					  : a->end > b->end;
}

static int keep_texts(struct straggler *one, const struct row *row,
		      struct err *err)
{
	size_t middle;

	one->texts = buf_new(LIMIT_STRING);
	if (json_text(&one->texts, row->sample_index, err) < 0)
		return err->code;
	middle = one->texts.n;
	if (json_text(&one->texts, row->group_index, err) < 0)
		return err->code;
	one->sample = str_make(one->texts.p, middle);
	one->group = str_make(one->texts.p + middle, one->texts.n - middle);
	return 0;
}

/* Put it in its place; the one past the end falls out. */
static int insert(struct ranking *ranking, size_t most,
		  bool (*precedes)(const struct straggler *,
				   const struct straggler *),
		  struct straggler one, const struct row *row, struct err *err)
{
	struct straggler *v = ranking->v;
	size_t at = ranking->n;

	while (at > 0 && precedes(&one, &v[at - 1]))
		at--;
	if (at == most)
		return 0;
	if (keep_texts(&one, row, err) < 0) {
		buf_free(&one.texts);
		return err->code;
	}
	memmove(&v[at + 1], &v[at], (ranking->n - at) * sizeof(*v));
	v[at] = one;
	if (ranking->n == most)
		buf_free(&v[most].texts);
	else
		ranking->n++;
	return 0;
}

static bool add_known(struct stats *stats, double v)
{
	return isnan(v) || stats_add(stats, v);
}

int stragglers_add(struct stragglers *s, const struct sample *sample,
		   const struct row *row, const struct moments *m,
		   struct err *err)
{
	struct straggler one;

	if (s->durations.n == 0)
		s->base = m->start;
	one = make(sample, row, m, s->base, s->names);
	one.place = s->durations.n;
	if (one.start < s->earliest)
		s->earliest = one.start;
	if (!stats_add(&s->durations, one.duration) ||
	    !add_known(&s->tokens, one.tokens) ||
	    !add_known(&s->rates, one.rate))
		return err_memory(err);
	if (insert(&s->last, s->most, is_later, one, row, err) < 0)
		return err->code;
	return insert(&s->longest, s->most, is_longer, one, row, err);
}

static double median(struct stats *stats)
{
	stats_sort(stats);
	return stats->n > 0 ? stats_median(stats) : NAN;
}

/* Waits that are none of the engine's work. */
static bool is_wait(enum activity activity)
{
	return activity <= ACTIVITY_TRANSFER;
}

static const char *cause_of(const struct straggler *one,
			    const struct straggler_medians *medians)
{
	static const char *const waits[] = {
		[ACTIVITY_TOOL] = "waited for tools",
		[ACTIVITY_REWARD] = "waited for the reward",
		[ACTIVITY_QUEUE] = "waited in a queue",
		[ACTIVITY_TRANSFER] = "waited for the KV transfer",
	};
	bool is_slow = one->rate < slow_rate * medians->rate;
	bool is_long = one->tokens > long_answer * medians->tokens;

	if (is_wait(one->waited) &&
	    one->waited_time >= long_wait * one->duration)
		return waits[one->waited];
	if (is_slow && is_long)
		return "long answer on a slow engine";
	if (is_slow)
		return "slow engine";
	if (is_long)
		return "long answer";
	return one->duration <= medians->duration ? "began late"
						  : "nothing stands out";
}

static int compare_places(const void *x, const void *y)
{
	const struct straggler *a = x;
	const struct straggler *b = y;

	return (a->place > b->place) - (a->place < b->place);
}

static int compare_ends(const void *x, const void *y)
{
	if (is_later(x, y))
		return -1;
	return is_later(y, x) ? 1 : compare_places(x, y);
}

/* Those of both rankings, each row once with its ranks, in the order of their
 * ends; returns how many. Their texts stay the rankings'. */
static size_t join(const struct stragglers *s, struct straggler *all)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < s->last.n; i++) {
		all[n] = s->last.v[i];
		all[n++].last = (double)(i + 1);
	}
	for (size_t i = 0; i < s->longest.n; i++) {
		all[n] = s->longest.v[i];
		all[n++].longest = (double)(i + 1);
	}
	qsort(all, n, sizeof(*all), compare_places);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || all[kept - 1].place != all[i].place) {
			all[kept++] = all[i];
			continue;
		}
		all[kept - 1].last = fmax(all[kept - 1].last, all[i].last);
		all[kept - 1].longest =
			fmax(all[kept - 1].longest, all[i].longest);
	}
	qsort(all, kept, sizeof(*all), compare_ends);
	return kept;
}

const struct straggler *stragglers_end(struct stragglers *s, size_t *count,
				       struct straggler_medians *medians,
				       struct err *err)
{
	size_t n = s->last.n + s->longest.n;

	*medians = (struct straggler_medians){
		median(&s->durations), median(&s->tokens), median(&s->rates)};
	s->all = calloc(n + 1, sizeof(*s->all));
	if (s->all == NULL) {
		err_memory(err);
		return NULL;
	}
	*count = join(s, s->all);
	for (size_t i = 0; i < *count; i++) {
		struct straggler *one = &s->all[i];

		one->start -= s->earliest;
		one->end -= s->earliest;
		one->ratio = medians->duration > 0
				     ? one->duration / medians->duration
				     : NAN;
		one->cause = cause_of(one, medians);
	}
	return s->all;
}
