#include "rollout/stragglers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/stats.h"
#include "fmt/value/value_python.h"
#include "rollout/span_attrs.h"
#include "rollout/straggler_ranks.h"

static const double second = 1e6; /* us */

/* Above this multiple of the median an answer was long; below this part of the
 * median decoding was slow; a delay is a cause from this part of the own time.
 */
static const double long_answer = 1.5;
static const double slow_rate = 2.0 / 3;
static const double long_delay = 0.25;

static const char slow_engine[] = "slow engine";

struct stragglers {
	const struct span_names *names;
	struct straggler_ranks ranks;
	struct straggler *all; /* from both ranks, created at the end */
	struct stats durations, tokens, rates;
	struct stats tools, rewards; /* seconds, of rows that have any */
	int64_t base;		     /* us, when the first row of all began */
	double earliest; /* seconds from there, of the earliest start */
};

struct stragglers *stragglers_new(size_t most, const struct span_names *names)
{
	struct stragglers *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->names = names;
	if (straggler_ranks_init(&s->ranks, most))
		return s;
	stragglers_free(s);
	return NULL;
}

void stragglers_free(struct stragglers *s)
{
	if (s == NULL)
		return;
	straggler_ranks_free(&s->ranks);
	free(s->all);
	stats_free(&s->durations);
	stats_free(&s->tokens);
	stats_free(&s->rates);
	stats_free(&s->tools);
	stats_free(&s->rewards);
	free(s);
}

/* One row -------------------------------------------------------------- */

double sample_tokens(const struct sample *sample, const struct row *row)
{
	double tokens = row_completed(row);
	struct value length = value_plain(sample->response_length);

	if (isnan(tokens) && length.kind != VALUE_BOOL)
		value_number(length, &tokens);
	return isfinite(tokens) && tokens >= 0 ? tokens : (double)NAN;
}

/* Texts, ranks and cause are added at the end, for the few that are kept. */
static struct straggler make(const struct counted_row *row, int64_t base,
			     const struct span_names *names)
{
	const struct self_times *m = row->self;
	const struct own_time *own = row->own;
	double decode = m->working[ACTIVITY_DECODE] / second;
	struct straggler one = {
		.place = row->place,
		.last = NAN,
		.longest = NAN,
		.start = (double)(own->start - base) / second,
		.end = (double)(own->end - base) / second,
		.open = own->open,
		.duration = (double)own->duration / second,
		.tokens = row->store->rows[row->place].tokens,
		.most = self_times_activity(m),
		.client_queue = (double)own->client_queue / second,
		.waited = (double)own->group_wait / second,
		.earlier = (double)own->earlier / second,
	};

	one.rate = one.tokens / decode;
	if (!isfinite(one.rate))
		one.rate = NAN;
	one.most_time = m->working[one.most] / second;
	for (int a = 0; a < ACTIVITIES; a++)
		one.waits[a] = m->working[a] / second;
	if (m->most != NULL) {
		one.held = intern_text(&names->texts, m->most->name);
		one.held_time = m->most->working / second;
	}
	return one;
}

static bool add_known(struct stats *stats, double v)
{
	return isnan(v) || stats_add(stats, v);
}

static bool add_positive(struct stats *stats, double v)
{
	return !(v > 0) || stats_add(stats, v);
}

int stragglers_add(struct stragglers *s, const struct counted_row *row,
		   struct err *err)
{
	struct straggler one;
	double start;

	if (s->durations.n == 0)
		s->base = row->timed->start;
	start = (double)(row->timed->start - s->base) / second;
	if (start < s->earliest)
		s->earliest = start;
	one = make(row, s->base, s->names);
	if (!stats_add(&s->durations, one.duration) ||
	    !add_known(&s->tokens, one.tokens) ||
	    !add_known(&s->rates, one.rate) ||
	    !add_positive(&s->tools, one.waits[ACTIVITY_TOOL]) ||
	    !add_positive(&s->rewards, one.waits[ACTIVITY_REWARD]))
		return err_memory(err);
	straggler_ranks_add(&s->ranks, &one);
	return 0;
}

/* All of them ---------------------------------------------------------- */

static double median(struct stats *stats)
{
	stats_sort(stats);
	return stats->n > 0 ? stats_median(stats) : NAN;
}

/* The same of n rows, of which the rest has 0. */
static double median_of(struct stats *positive, size_t n)
{
	size_t zeros = n - positive->n;
	size_t low = n > 0 ? (n - 1) / 2 : 0;
	size_t high = n / 2;

	if (zeros > high || positive->n == 0)
		return 0;
	stats_sort(positive);
	return ((low < zeros ? 0 : positive->v[low - zeros]) +
		(high < zeros ? 0 : positive->v[high - zeros])) /
	       2;
}

/* What delayed a sample, and for how many seconds. */
struct delay {
	const char *cause; /* NULL: none */
	double time;
};

/* Of delays that are equal the first counts; NaN is none. */
static void keep_longer(struct delay *most, const char *cause, double time)
{
	if (time > most->time)
		*most = (struct delay){cause, time};
}

/* Seconds of decoding beyond those that its tokens take at a pace; 0 if the
 * tokens are not known. */
static double lost_at(const struct straggler *one, double seconds_per_token)
{
	return fmax(one->waits[ACTIVITY_DECODE] -
			    one->tokens * seconds_per_token,
		    0);
}

static bool is_on_slow(const struct straggler *one)
{
	return one->speed != NULL && one->speed->slow;
}

/* The part of its queue that it would have had on a worker that is not slow. */
static double usual_queue(const struct straggler *one, double usual)
{
	double part = is_on_slow(one) ? usual / one->speed->token_time : 1;

	return part * one->waits[ACTIVITY_QUEUE];
}

/* A long answer, and a slow engine or decoding: each token above the median
 * costs what a token usually takes, all beyond that is due to the slowness. */
static void find_decoding(const struct straggler *one,
			  const struct straggler_medians *medians, double usual,
			  struct delay *most)
{
	bool is_slow = one->rate < slow_rate * medians->rate;
	double pace = 1 / one->rate;

	if (is_on_slow(one))
		pace = fmin(pace, usual);
	else if (is_slow)
		pace = 1 / medians->rate;
	if (one->rate > 0 && one->tokens > long_answer * medians->tokens)
		keep_longer(most, "long answer",
			    (one->tokens - medians->tokens) * pace);
	if (is_on_slow(one))
		keep_longer(most, slow_engine,
			    lost_at(one, usual) + one->waits[ACTIVITY_QUEUE] -
				    usual_queue(one, usual));
	else if (is_slow)
		keep_longer(most, "slow decode", lost_at(one, pace));
}

static bool is_long(const struct delay *delay, const struct straggler *one)
{
	return delay->time >= long_delay * one->duration;
}

/* The delay that cost most. Waiting counts in full, work as far as it exceeds
 * the median. The client's queue grows when samples run slowly, so it counts
 * only if nothing else took long, or if the sample waited there for longer than
 * it ran. */
static struct delay delay_of(const struct straggler *one,
			     const struct straggler_medians *medians,
			     double usual)
{
	struct delay most = {0};

	find_decoding(one, medians, usual, &most);
	keep_longer(&most, "engine queue", usual_queue(one, usual));
	keep_longer(&most, "tools", one->waits[ACTIVITY_TOOL] - medians->tools);
	keep_longer(&most, "reward",
		    one->waits[ACTIVITY_REWARD] - medians->rewards);
	keep_longer(&most, "earlier attempts", one->earlier);
	if (!is_long(&most, one) || one->client_queue > one->duration)
		keep_longer(&most, "client queue", one->client_queue);
	return is_long(&most, one) ? most : (struct delay){0};
}

static void find_cause(struct straggler *one,
		       const struct straggler_medians *medians, double usual)
{
	struct delay delay = delay_of(one, medians, usual);

	one->cause_time = delay.cause != NULL ? delay.time : one->most_time;
	if (delay.cause != NULL && str_is(str_of(delay.cause), slow_engine))
		one->cause_queue =
			one->waits[ACTIVITY_QUEUE] - usual_queue(one, usual);
	if (delay.cause != NULL)
		snprintf(one->cause, sizeof(one->cause), "%s", delay.cause);
	else if (one->most_time == 0)
		snprintf(one->cause, sizeof(one->cause), "no work of its own");
	else
		snprintf(one->cause, sizeof(one->cause), "mostly %s",
			 activity_word(one->most));
}

/* Who waited for it. Several waits of one row all count. */
static void find_victims(struct straggler *one, const struct victims *victims)
{
	int64_t wait = 0;
	size_t at;

	SEARCH_FIRST(at, 0, victims->n, victims->v[at].culprit >= one->place);
	one->victims = victims->n == 0 ? NULL : &victims->v[at];
	for (; at < victims->n && victims->v[at].culprit == one->place; at++) {
		wait += victims->v[at].wait;
		one->victim_count++;
	}
	one->group_wait = (double)wait / second;
}

static void describe(struct straggler *one,
		     const struct straggler_context *context)
{
	const struct row_store *store = context->store;
	const struct stored_row *row = &store->rows[one->place];

	one->sample = stored_row_sample(store, row);
	one->group = stored_row_group(store, row);
	one->row = row->row_id;
	one->repeats = stored_row_repeats(store, row);
	if (row->worker != ROW_NO_WORKER) {
		one->worker =
			intern_text(&context->workers->texts, row->worker);
		one->speed = &context->workers->v[row->worker];
	}
	find_victims(one, context->victims);
}

struct straggler_values stragglers_values(const struct stragglers *s)
{
	return (struct straggler_values){&s->durations, &s->tokens, &s->rates};
}

const struct straggler *stragglers_end(struct stragglers *s,
				       const struct straggler_context *context,
				       size_t *count,
				       struct straggler_medians *medians,
				       struct err *err)
{
	*medians = (struct straggler_medians){
		median(&s->durations), median(&s->tokens), median(&s->rates),
		median_of(&s->tools, s->durations.n),
		median_of(&s->rewards, s->durations.n)};
	s->all = straggler_ranks_join(&s->ranks, count);
	if (s->all == NULL)
		return err_no_memory(err);
	for (size_t i = 0; i < *count; i++) {
		struct straggler *one = &s->all[i];

		one->start -= s->earliest;
		one->end -= s->earliest;
		one->ratio = num_ratio(one->duration, medians->duration);
		describe(one, context);
		find_cause(one, medians, context->workers->usual);
	}
	return s->all;
}
