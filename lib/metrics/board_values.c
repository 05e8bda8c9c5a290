#include "metrics/board_values.h"

#include <math.h>

static const double P95 = 0.95;

static double per_second(struct window_amount amount)
{
	return amount.seconds > 0 ? amount.sum / amount.seconds : (double)NAN;
}

/* How fast output tokens come, and how many requests they are for. */
struct pace {
	double tokens; /* per second */
	double running;
};

/* As tokens are counted when they are made; else as the engine says, which an
 * idle engine does not correct at once; else as they are counted when a request
 * ends. */
static struct pace pace_of(const struct board_engine *e, const double *vital,
			   double from)
{
	struct pace p = {
		.tokens = per_second(
			board_window_sum(&e->window, from, WINDOW_TOKENS)),
		.running = per_second(
			board_window_sum(&e->window, from, WINDOW_BUSY)),
	};

	if (!isnan(p.tokens))
		return p;
	p.tokens = per_second(
		board_window_sum(&e->window, from, WINDOW_TOKENS_LATE));
	if (isnan(vital[VITAL_THROUGHPUT]))
		return p;
	p.running = vital[VITAL_RUNNING];
	p.tokens = p.running == 0 ? 0 : vital[VITAL_THROUGHPUT];
	return p;
}

static double hit_rate(const struct board_engine *e, double from)
{
	double hits = board_window_sum(&e->window, from, WINDOW_HITS).sum;
	double queries = board_window_sum(&e->window, from, WINDOW_QUERIES).sum;

	return queries > 0 ? hits / queries : (double)NAN;
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
	struct pace pace = pace_of(e, vital, from);

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
	values[BOARD_REQUEST_TOKENS] =
		pace.running > 0 ? pace.tokens / pace.running : (double)NAN;
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
}

void board_values_none(const struct board_engine *e, double time,
		       double values[BOARD_VALUES])
{
	for (size_t i = 0; i < BOARD_VALUES; i++)
		values[i] = (double)NAN;
	values[BOARD_AGE] = time - e->seen;
	values[BOARD_UP] = 0;
}
