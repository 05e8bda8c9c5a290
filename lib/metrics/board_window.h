/*
 * An engine's activity over the last seconds, summed from snapshot to snapshot
 * in a bounded number of slots.
 */
#ifndef OBS_METRICS_BOARD_WINDOW_H
#define OBS_METRICS_BOARD_WINDOW_H

#include "metrics/vitals.h"

enum window_sum {
	WINDOW_TOKENS,	    /* counted as they are made */
	WINDOW_TOKENS_LATE, /* counted when their request ends */
	WINDOW_FINISHED,    /* requests */
	WINDOW_BUSY,	    /* running requests, times seconds */
	WINDOW_RETRACTED,
	WINDOW_ABORTED,
	WINDOW_IDLE, /* seconds */
	WINDOW_HITS,
	WINDOW_QUERIES,
	WINDOW_SUMS
};

/* The source of an engine's output token rate. */
enum tokens_from {
	TOKENS_COUNTED,	 /* a counter that moves with each token */
	TOKENS_ENDED,	 /* a counter that moves when a request ends */
	TOKENS_REPORTED, /* the engine's gauge */
};

enum window_histogram { WINDOW_TTFT, WINDOW_QUEUE_TIME, WINDOW_HISTOGRAMS };

struct window_amount {
	double sum;
	double seconds; /* in which it was known */
};

struct window_slot {
	double begin;
	double end;
	struct window_amount amounts[WINDOW_SUMS];
	struct buckets histograms[WINDOW_HISTOGRAMS];
	double scales[WINDOW_HISTOGRAMS];
};

enum { WINDOW_SLOTS = 16, WINDOW_KEPT = WINDOW_SLOTS + 2 };

struct board_window {
	struct window_slot *slots; /* a ring, once there are WINDOW_KEPT */
	size_t cap;
	uint32_t first;
	uint32_t n;
	struct buckets scratch;
	double reported; /* the gauge of tokens per second */
	double reported_since;
};

void board_window_free(struct board_window *w);

/* Add a worker's activity in the seconds up to that time. 0 or ERR_MEMORY. */
int board_window_take(struct board_window *w, const struct worker *worker,
		      double time, double seconds, double window);

/* All times are that many seconds later: the clock was set. */
void board_window_shift(struct board_window *w, double seconds);

/* The activity since `from`: all zero if there is none. */
struct window_amount board_window_sum(const struct board_window *w, double from,
				      enum window_sum sum);

/* A quantile of it, in seconds. NaN: nothing was counted. */
double board_window_quantile(struct board_window *w, double from,
			     enum window_histogram histogram, double q);

#endif
