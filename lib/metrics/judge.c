/* The conditions of alarms: each fills what is known, and leaves the result
 * unknown if an input is missing. */
#include <math.h>
#include <stdio.h>

#include "metrics/watch.h"

static const double GROWTH = 1.5;   /* length of a queue, */
static const double LEAST = 0.5;    /* of the limit, at least */
static const double AT_CAP = 0.9;   /* fraction of the peak */
static const double HIT_RATE = 0.1; /* of a fleet in which hits matter */
static const double FINISHED = 100; /* requests required for a share */
static const double IDLE = 0.5;	    /* fraction of the mean */
static const double STANDS = 3600;  /* seconds a comparison counts */

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

static enum truth truth_of(bool holds)
{
	return holds ? TRUTH_YES : TRUTH_NO;
}

static void judge_down(struct alarm_state *v, const struct watch *w,
		       const struct cohort *f)
{
	(void)f;
	(void)w; /* it exists */
	v->holds = TRUTH_NO;
	v->value = 0;
	snprintf(v->text, sizeof(v->text), "it answers again");
}

static void judge_stalled(struct alarm_state *v, const struct watch *w,
			  const struct cohort *f)
{
	bool stale;

	v->value = w->now.vital[VITAL_RUNNING];
	v->since = w->seen_before;
	v->holds = worker_is_stalled(&w->now,
				     isnan(w->seen_before) ? NULL : &w->before,
				     f->limits->limit[ALARM_STALLED], &stale);
	if (isnan(w->seen_before) && v->holds == TRUTH_YES)
		v->holds = TRUTH_UNKNOWN;
	if (stale)
		v->least = VITALS_STALE;
	snprintf(v->text, sizeof(v->text), "%g running, no token made",
		 v->value);
}

static void judge_kv_full(struct alarm_state *v, const struct watch *w,
			  const struct cohort *f)
{
	const double *vital = w->now.vital;
	const struct moment *then = history_within(
		&w->retracted, f->time, f->limits->hold[ALARM_KV_FULL]);
	double retracted = then == NULL ? 0 : w->sums.retracted - then->a;

	v->value = vital[VITAL_KV_USAGE];
	if (isnan(v->value) ||
	    (isnan(vital[VITAL_QUEUE]) && isnan(vital[VITAL_RETRACTED])))
		return;
	v->holds = truth_of(v->value > f->limits->limit[ALARM_KV_FULL] &&
			    (vital[VITAL_QUEUE] > 0 || retracted > 0));
	snprintf(v->text, sizeof(v->text),
		 "KV usage %.3g%%, %g waiting, %g retracted", v->value * 100,
		 known(vital[VITAL_QUEUE]), retracted);
}

static void judge_queue(struct alarm_state *v, const struct watch *w,
			const struct cohort *f)
{
	const struct moment *then = history_before(
		&w->queue, f->time, f->limits->hold[ALARM_QUEUE_GROWING]);
	double limit = f->limits->limit[ALARM_QUEUE_GROWING];
	double queue = w->now.vital[VITAL_QUEUE];

	if (isnan(queue) || then == NULL)
		return;
	v->value = queue - then->a;
	v->holds = truth_of(queue > 0 &&
			    (v->value >= limit ||
			     (then->a > 0 && queue >= GROWTH * then->a &&
			      v->value >= LEAST * limit)));
	v->at_once = true;
	v->since = then->time;
	snprintf(v->text, sizeof(v->text), "%g waiting, %g were %.3g s earlier",
		 queue, then->a, f->time - then->time);
}

static void judge_cap(struct alarm_state *v, const struct watch *w,
		      const struct cohort *f)
{
	const double *vital = w->now.vital;
	double running = vital[VITAL_RUNNING], cap = vital[VITAL_CAP];

	v->value = vital[VITAL_KV_USAGE];
	if (isnan(v->value) || isnan(running) || isnan(vital[VITAL_QUEUE]))
		return;
	v->holds = truth_of(vital[VITAL_QUEUE] > 0 && running > 0 &&
			    running >= AT_CAP * (isnan(cap) ? w->peak : cap) &&
			    v->value < f->limits->limit[ALARM_CAP_BOUND]);
	snprintf(v->text, sizeof(v->text),
		 "%g waiting, %g running of at most %g, KV usage %.3g%%",
		 vital[VITAL_QUEUE], running, isnan(cap) ? w->peak : cap,
		 v->value * 100);
}

static void judge_slow(struct alarm_state *v, const struct watch *w,
		       const struct cohort *f)
{
	if (isnan(w->compared.time))
		return;
	if (w->compared.time < f->time) {
		v->why = watch_uncompared(w, f);
		v->stands = watch_has_requests(w) &&
			    f->time - w->compared.time <= STANDS;
		return;
	}
	v->value = w->pace / f->pace;
	v->holds = truth_of(v->value > f->limits->limit[ALARM_SLOW_ENGINE]);
	snprintf(v->text, sizeof(v->text),
		 "%.3g ms per token, the fleet takes %.3g ms", w->pace * 1000,
		 f->pace * 1000);
}

static void judge_hit_rate(struct alarm_state *v, const struct watch *w,
			   const struct cohort *f)
{
	const struct moment *then = history_before(
		&w->hits, f->time, f->limits->hold[ALARM_HIT_RATE_LOW]);
	double rate;

	if (then == NULL)
		return;
	rate = (w->sums.hits - then->a) / (w->sums.queries - then->b);
	if (isnan(rate))
		return;
	v->value = rate / f->hit_rate;
	v->holds = truth_of(f->hit_rate >= HIT_RATE &&
			    v->value < f->limits->limit[ALARM_HIT_RATE_LOW]);
	v->at_once = true;
	v->since = then->time;
	snprintf(v->text, sizeof(v->text),
		 "prefix hit rate %.3g%%, that of the fleet is %.3g%%",
		 rate * 100, f->hit_rate * 100);
}

static void judge_retractions(struct alarm_state *v, const struct watch *w,
			      const struct cohort *f)
{
	const struct moment *then = history_before(
		&w->retracted, f->time, f->limits->hold[ALARM_RETRACTIONS]);
	double retracted, minutes;

	if (then == NULL || isnan(w->now.vital[VITAL_RETRACTED]) ||
	    isnan(w->now.vital[VITAL_RUNNING]))
		return;
	retracted = w->sums.retracted - then->a;
	minutes = (w->sums.busy - then->b) / 60; /* of running requests */
	v->value = minutes > 0 ? retracted / minutes : 0;
	v->holds = truth_of(v->value > f->limits->limit[ALARM_RETRACTIONS]);
	v->at_once = true;
	v->since = then->time;
	snprintf(v->text, sizeof(v->text), "%g retracted in %.3g s", retracted,
		 f->time - then->time);
}

static void judge_aborts(struct alarm_state *v, const struct watch *w,
			 const struct cohort *f)
{
	const struct moment *then = history_before(
		&w->aborted, f->time, f->limits->hold[ALARM_ABORTS]);
	double aborted, finished;

	if (then == NULL || isnan(w->now.vital[VITAL_FINISHED]))
		return;
	aborted = w->sums.aborted - then->a;
	finished = w->sums.finished - then->b;
	v->value = finished > 0 ? aborted / finished : 0;
	v->holds = truth_of(finished >= FINISHED &&
			    v->value > f->limits->limit[ALARM_ABORTS]);
	v->at_once = true;
	v->since = then->time;
	snprintf(v->text, sizeof(v->text),
		 "%g of %g finished requests aborted in %.3g s", aborted,
		 finished, f->time - then->time);
}

static void judge_imbalance(struct alarm_state *v, const struct watch *w,
			    const struct cohort *f)
{
	double most, least;

	(void)w;
	if (f->n < 2)
		return;
	most = f->busiest->now.vital[VITAL_RUNNING];
	least = f->idlest->now.vital[VITAL_RUNNING];
	v->value = f->running > 0 ? most / f->running : 1;
	v->holds = truth_of(v->value > f->limits->limit[ALARM_IMBALANCE] &&
			    least < f->running * IDLE);
	snprintf(v->text, sizeof(v->text),
		 "%.*s runs %g request%s, %.*s runs %g, the mean is %.3g",
		 STR_ARG(f->busiest->name), most, most == 1 ? "" : "s",
		 STR_ARG(f->idlest->name), least, f->running);
}

static void judge_weights(struct alarm_state *v, const struct watch *w,
			  const struct cohort *f)
{
	double version = w->now.vital[VITAL_WEIGHT_VERSION];

	if (isnan(version) || f->versions < 2)
		return;
	v->value = f->version - version;
	v->holds = truth_of(v->value > f->limits->limit[ALARM_WEIGHTS_BEHIND]);
	snprintf(v->text, sizeof(v->text),
		 "weights of version %g, the newest are %g", version,
		 f->version);
}

void judge(struct alarm_state *v, enum alarm_kind kind, const struct watch *w,
	   const struct cohort *f)
{
	static void (*const conditions[ALARMS])(struct alarm_state * v,
						const struct watch *w,
						const struct cohort *f) = {
		[ALARM_DOWN] = judge_down,
		[ALARM_STALLED] = judge_stalled,
		[ALARM_KV_FULL] = judge_kv_full,
		[ALARM_QUEUE_GROWING] = judge_queue,
		[ALARM_CAP_BOUND] = judge_cap,
		[ALARM_SLOW_ENGINE] = judge_slow,
		[ALARM_HIT_RATE_LOW] = judge_hit_rate,
		[ALARM_RETRACTIONS] = judge_retractions,
		[ALARM_ABORTS] = judge_aborts,
		[ALARM_IMBALANCE] = judge_imbalance,
		[ALARM_WEIGHTS_BEHIND] = judge_weights,
	};

	*v = (struct alarm_state){.since = f->time, .value = (double)NAN};
	conditions[kind](v, w, f);
}
