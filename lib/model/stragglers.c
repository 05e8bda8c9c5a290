#include "model/stragglers.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/stats.h"
#include "fmt/json_text.h"
#include "fmt/value_python.h"
#include "model/span_attrs.h"

static const double second = 1e6; /* us */

/* Below this part of the median rate an engine was slow; above that multiple
 * of the median an answer was long; a wait is at least half of the time. */
static const double slow_rate = 0.75;
static const double long_answer = 1.5;
static const double long_wait = 0.5;

struct stragglers {
	struct span_names *names;
	struct straggler *v; /* the last one first */
	size_t n, most;
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
	s->v = calloc(most + 1, sizeof(*s->v));
	if (s->v != NULL)
		return s;
	free(s);
	return NULL;
}

void stragglers_free(struct stragglers *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		buf_free(&s->v[i].texts);
	free(s->v);
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
		.row_id = row->row_id,
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
static int insert(struct stragglers *s, struct straggler *one,
		  const struct row *row, struct err *err)
{
	size_t at = s->n;

	while (at > 0 && is_later(one, &s->v[at - 1]))
		at--;
	if (at == s->most)
		return 0;
	if (keep_texts(one, row, err) < 0) {
		buf_free(&one->texts);
		return err->code;
	}
	memmove(&s->v[at + 1], &s->v[at], (s->n - at) * sizeof(*s->v));
	s->v[at] = *one;
	if (s->n == s->most)
		buf_free(&s->v[s->n].texts);
	else
		s->n++;
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
	if (one.start < s->earliest)
		s->earliest = one.start;
	if (!stats_add(&s->durations, one.duration) ||
	    !add_known(&s->tokens, one.tokens) ||
	    !add_known(&s->rates, one.rate))
		return err_memory(err);
	return insert(s, &one, row, err);
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

const struct straggler *stragglers_end(struct stragglers *s, size_t *count,
				       struct straggler_medians *medians)
{
	*medians = (struct straggler_medians){
		median(&s->durations), median(&s->tokens), median(&s->rates)};
	for (size_t i = 0; i < s->n; i++) {
		struct straggler *one = &s->v[i];

		one->start -= s->earliest;
		one->end -= s->earliest;
		one->ratio = medians->duration > 0
				     ? one->duration / medians->duration
				     : NAN;
		one->cause = cause_of(one, medians);
	}
	s->earliest = 0;
	*count = s->n;
	return s->v;
}
