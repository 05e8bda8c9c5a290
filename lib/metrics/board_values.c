#include "metrics/board_values.h"

#include <math.h>

#include "base/num.h"

static const double P95 = 0.95;
static const double SHORT_LIVES = 2;
static const double STALE_TOKENS = 1000;

static double per_second(struct window_amount amount)
{
	return num_ratio(amount.sum, amount.seconds);
}

/* The rate of output tokens, the requests it is for, and its source. */
struct pace {
	double tokens; /* per second */
	double running;
	enum tokens_from from;
};

/* Did most finished requests begin within the window? In the time of one
 * request, as many finish as are running; a counter that moves when a request
 * ends is right if the window has a few such times. */
static bool requests_are_short(struct window_amount ended,
			       struct window_amount busy)
{
	return ended.sum > 0 && busy.seconds > 0 &&
	       ended.sum >= SHORT_LIVES * busy.sum / busy.seconds;
}

/* Has the gauge been constant for longer than the window, during which each
 * request made enough tokens for the engine to update it? Then the engine makes
 * none: it is idle, and reports that late, or it hangs. */
static bool is_stale(const struct board *b, const struct board_engine *e,
		     double running, double time)
{
	double same = time - e->window.reported_since;

	return same >= b->window &&
	       e->window.reported * same >= running * STALE_TOKENS;
}

static void take_report(struct board_engine *e, double tokens, double time)
{
	if (e->window.reported != tokens || isnan(e->window.reported_since))
		e->window.reported_since = time;
	e->window.reported = tokens;
}

/* From the engine's own gauge. */
static struct pace reported_pace(const struct board *b,
				 const struct board_engine *e,
				 const double *vital, double time)
{
	double running = vital[VITAL_RUNNING];
	bool idle = running == 0 || is_stale(b, e, running, time);

	return (struct pace){.tokens = idle ? 0 : e->window.reported,
			     .running = running,
			     .from = TOKENS_REPORTED};
}

/* From the counter that moves with tokens, else from the one that moves when
 * requests end if they are short, else from the engine's gauge. */
static struct pace pace_of(const struct board *b, const struct board_engine *e,
			   const double *vital, double time)
{
	double from = time - b->window;
	const struct board_window *w = &e->window;
	struct window_amount busy = board_window_sum(w, from, WINDOW_BUSY);
	struct pace p = {
		.tokens = per_second(board_window_sum(w, from, WINDOW_TOKENS)),
		.running = per_second(busy),
		.from = TOKENS_COUNTED,
	};

	if (!isnan(p.tokens))
		return p;
	p.from = TOKENS_ENDED;
	p.tokens = per_second(board_window_sum(w, from, WINDOW_TOKENS_LATE));
	if (isnan(vital[VITAL_THROUGHPUT]))
		return p;
	if (p.tokens > 0 &&
	    requests_are_short(board_window_sum(w, from, WINDOW_FINISHED),
			       busy))
		return p;
	return reported_pace(b, e, vital, time);
}

static double hit_rate(const struct board_engine *e, double from)
{
	double hits = board_window_sum(&e->window, from, WINDOW_HITS).sum;
	double queries = board_window_sum(&e->window, from, WINDOW_QUERIES).sum;

	return num_ratio(hits, queries);
}

static double per_minute(const struct board_engine *e, double from,
			 enum window_sum sum)
{
	return 60 * per_second(board_window_sum(&e->window, from, sum));
}

static double share_of(double running, double cap)
{
	if (!(cap > 0))
		return 0;
	return running < cap ? running / cap : 1;
}

void board_values_of(const struct board *b, struct board_engine *e,
		     const struct worker *worker, double time,
		     double values[BOARD_VALUES])
{
	const double *vital = worker->vital;
	double from = time - b->window, running = vital[VITAL_RUNNING];
	struct pace pace;

	take_report(e, vital[VITAL_THROUGHPUT], time);
	pace = pace_of(b, e, vital, time);
	if ((e->alarms & 1u << ALARM_STALLED) != 0)
		pace.tokens = 0;
	if (running > e->peak)
		e->peak = running;
	values[BOARD_RUNNING] = running;
	values[BOARD_CAP] = vital[VITAL_CAP];
	values[BOARD_QUEUE] = vital[VITAL_QUEUE];
	values[BOARD_KV_USAGE] = vital[VITAL_KV_USAGE];
	values[BOARD_HIT_RATE] = hit_rate(e, from);
	values[BOARD_TOKENS] = pace.tokens;
	values[BOARD_TOKENS_FROM] = isnan(pace.tokens) ? (double)NAN
						       : (double)pace.from;
	values[BOARD_REQUEST_TOKENS] = num_ratio(pace.tokens, pace.running);
	values[BOARD_TTFT_P95] =
		board_window_quantile(&e->window, from, WINDOW_TTFT, P95);
	values[BOARD_QUEUE_P95] =
		board_window_quantile(&e->window, from, WINDOW_QUEUE_TIME, P95);
	values[BOARD_RETRACTED] = per_minute(e, from, WINDOW_RETRACTED);
	values[BOARD_ABORTED] = per_minute(e, from, WINDOW_ABORTED);
	values[BOARD_IDLE_SHARE] =
		per_second(board_window_sum(&e->window, from, WINDOW_IDLE));
	values[BOARD_WEIGHTS] = vital[VITAL_WEIGHT_VERSION];
	values[BOARD_AGE] = 0;
	values[BOARD_UP] = vital[VITAL_UP] == 0 ? 0 : 1;
	values[BOARD_EFFECTIVE] = share_of(
		running, isnan(vital[VITAL_CAP]) ? e->peak : vital[VITAL_CAP]);
	if (isnan(running))
		values[BOARD_EFFECTIVE] = (double)NAN;
}

void board_values_none(const struct board_engine *e, double time,
		       double values[BOARD_VALUES])
{
	for (size_t i = 0; i < BOARD_VALUES; i++)
		values[i] = (double)NAN;
	values[BOARD_AGE] = time - e->seen;
	values[BOARD_UP] = 0;
}
