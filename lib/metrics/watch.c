#include "metrics/watch.h"

#include <math.h>

#include "base/array.h"
#include "base/stats.h"

enum { PACE_RUNNING = 4 }; /* requests whose tokens come at a known pace */

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

/* Seconds a request waits per token. */
static double pace_of(const struct worker *w)
{
	const double *vital = w->vital;
	double running = vital[VITAL_RUNNING];

	if (!(running >= PACE_RUNNING))
		return (double)NAN;
	if (vital[VITAL_TOKEN_SECONDS] > 0)
		return vital[VITAL_TOKEN_SECONDS];
	if (vital[VITAL_DECODE_RATE] > 0)
		return running / vital[VITAL_DECODE_RATE];
	return vital[VITAL_THROUGHPUT] > 0 ? running / vital[VITAL_THROUGHPUT]
					   : (double)NAN;
}

static void add_sums(struct sums *s, const struct worker *worker,
		     double seconds)
{
	const double *vital = worker->vital;

	s->hits += known(worker->hits);
	s->queries += known(worker->queries);
	s->retracted += known(vital[VITAL_RETRACTED]);
	s->aborted += known(vital[VITAL_ABORTED]);
	s->finished += known(vital[VITAL_FINISHED]);
	s->busy += known(vital[VITAL_RUNNING]) * known(seconds);
}

void watch_free(struct watch *w)
{
	history_free(&w->queue);
	history_free(&w->hits);
	history_free(&w->retracted);
	history_free(&w->aborted);
	history_free(&w->paces);
}

bool watch_take(struct watch *w, const struct worker *worker, double time,
		double seconds, const struct alarm_limits *limits)
{
	double span = limits->hold[ALARM_SLOW_ENGINE];
	double pace = pace_of(worker);
	struct moment moment = {.time = time, .a = pace};

	w->before = w->now;
	w->seen_before = w->seen;
	w->now = *worker;
	w->now.name = w->name; /* its own is not permanent, nor are these: */
	w->now.labels = str_make("", 0);
	w->now.ttft = w->now.queue_time = (struct vital_buckets){0};
	w->seen = w->listed = time;
	w->missing = w->failed = 0;
	add_sums(&w->sums, worker, seconds);
	if (worker->vital[VITAL_RUNNING] > w->peak)
		w->peak = worker->vital[VITAL_RUNNING];
	w->pace = pace;
	if (isnan(pace))
		return true;
	if (!history_add(&w->paces, moment, span))
		return false;
	w->pace = history_median(&w->paces, time, span);
	return true;
}

void watch_shift(struct watch *w, double seconds)
{
	struct history *all[] = {&w->queue, &w->hits, &w->retracted,
				 &w->aborted, &w->paces};

	if (seconds == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		history_shift(all[i], seconds);
	for (size_t i = 0; i < ALARMS; i++) {
		w->standing[i].since += seconds;
		w->standing[i].known += seconds;
	}
	w->compared.time += seconds;
	w->seen += seconds;
	w->seen_before += seconds;
	w->listed += seconds;
	w->silent += seconds;
}

void watch_take_failure(struct watch *w, double time)
{
	if (w->failed == 0)
		w->silent = w->missing > 1 ? w->seen : time;
	/* It was counted as missing from this snapshot, too. */
	w->failed = watch_silence(w);
	w->missing = 0;
	w->listed = time;
}

/* Record a and b, if both are known. */
static bool remember(struct history *h, double time, double a, double b,
		     double span)
{
	return isnan(a) || isnan(b) ||
	       history_add(h, (struct moment){time, a, b}, span);
}

bool watch_remember(struct watch *w, double time,
		    const struct alarm_limits *limits)
{
	const double *vital = w->now.vital;
	const struct sums *s = &w->sums;

	return remember(&w->queue, time, vital[VITAL_QUEUE], 0,
			limits->hold[ALARM_QUEUE_GROWING]) &&
	       remember(&w->hits, time, s->hits, s->queries,
			limits->hold[ALARM_HIT_RATE_LOW]) &&
	       remember(&w->retracted, time, s->retracted, s->busy,
			limits->hold[ALARM_RETRACTIONS]) &&
	       remember(&w->aborted, time, s->aborted, s->finished,
			limits->hold[ALARM_ABORTS]);
}

/* Comparing ----------------------------------------------------------- */

bool watch_has_requests(const struct watch *w)
{
	const double *vital = w->now.vital;

	return vital[VITAL_RUNNING] > 0 || vital[VITAL_QUEUE] > 0;
}

bool watch_is_slow(const struct watch *w, const struct alarm_limits *limits)
{
	return w->compared.pace / w->compared.fleet >
	       limits->limit[ALARM_SLOW_ENGINE];
}

const char *watch_uncompared(const struct watch *w, const struct cohort *f)
{
	if (!watch_has_requests(w))
		return "it had no requests";
	if (!(w->now.vital[VITAL_RUNNING] >= PACE_RUNNING))
		return "it ran fewer than 4 requests";
	if (isnan(w->pace))
		return "its time per token was not known";
	return f->loaded > 1 ? "no other time per token was known"
			     : "no other engine ran 4 requests or more";
}

/* What the pace of a worker is judged by. */
static int compare_paces(struct cohort *f, struct watch *const *watches,
			 uint32_t n, struct err *err)
{
	struct stats paces = {0};
	bool good = true;

	for (uint32_t i = 0; good && i < n; i++)
		good = isnan(watches[i]->pace) ||
		       stats_add(&paces, watches[i]->pace);
	stats_sort(&paces);
	f->pace = paces.n < 2 ? (double)NAN : stats_usual(&paces);
	stats_free(&paces);
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(watches[i]->pace / f->pace))
			watches[i]->compared = (struct paces){
				f->time, watches[i]->pace, f->pace};
	return good ? 0 : err_memory(err);
}

/* The hit rate of all over the alarm's look-back time. */
static double fleet_hit_rate(const struct cohort *f,
			     struct watch *const *watches, uint32_t n)
{
	double hits = 0, queries = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct watch *w = watches[i];
		const struct moment *then = history_before(
			&w->hits, f->time, f->limits->hold[ALARM_HIT_RATE_LOW]);

		if (then == NULL)
			continue;
		hits += w->sums.hits - then->a;
		queries += w->sums.queries - then->b;
	}
	return hits / queries;
}

static void compare_version(struct cohort *f, const struct watch *w)
{
	double version = w->now.vital[VITAL_WEIGHT_VERSION];

	f->versions += isnan(version) ? 0 : 1;
	if (f->versions == 1 || version > f->version)
		f->version = version;
}

static void compare_running(struct cohort *f, const struct watch *w)
{
	double running = w->now.vital[VITAL_RUNNING];

	if (isnan(running))
		return;
	f->running += running;
	f->loaded += running >= PACE_RUNNING;
	f->n++;
	if (f->busiest == NULL ||
	    running > f->busiest->now.vital[VITAL_RUNNING])
		f->busiest = w;
	if (f->idlest == NULL || running < f->idlest->now.vital[VITAL_RUNNING])
		f->idlest = w;
}

int cohort_compare(struct cohort *f, struct watch *const *watches, uint32_t n,
		   struct err *err)
{
	f->version = (double)NAN;
	for (uint32_t i = 0; i < n; i++) {
		compare_version(f, watches[i]);
		compare_running(f, watches[i]);
	}
	f->running /= f->n;
	f->hit_rate = fleet_hit_rate(f, watches, n);
	return compare_paces(f, watches, n, err);
}
