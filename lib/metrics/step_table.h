/* Generated from lib/metrics/steps.tsv by scripts/gen-steps; the head of that
 * file explains the columns. */
#ifndef OBS_METRICS_STEP_TABLE_H
#define OBS_METRICS_STEP_TABLE_H

#include "metrics/catalogue.h"
#include "metrics/term.h"

enum step_set { STEP_STEP, STEP_ALL, STEP_VITAL, STEP_PERF };

/* How to compute a value. */
enum step_how {
	STEP_GAUGE,
	STEP_GAUGE_SUM,
	STEP_GAUGE_MAX,
	STEP_RATE,
	STEP_RATE_MEAN,
	STEP_MFU,
	STEP_INCREASE,
	STEP_RATIO,
	STEP_RATIO_BY,
	STEP_RATIO_LEAST,
	STEP_RATIO_GREATEST,
	STEP_QUANTILE,
	STEP_DISTRIBUTION,
	STEP_STALLED,
};

/* A worker's vital signs. */
enum vital {
	VITAL_NONE,
	VITAL_UP,
	VITAL_RUNNING,
	VITAL_CAP, /* limit on running requests */
	VITAL_QUEUE,
	VITAL_PAUSED, /* requests, or engines, paused on purpose */
	VITAL_KV_USAGE,
	VITAL_HIT_RATE,
	VITAL_THROUGHPUT,    /* tokens per second, from the engine */
	VITAL_DECODE_RATE,   /* the same from a counter */
	VITAL_TOKENS,	     /* made, counted as they are made */
	VITAL_TOKENS_LATE,   /* made, counted when their request ends */
	VITAL_TOKEN_SECONDS, /* between two tokens of a request */
	VITAL_FINISHED,
	VITAL_ABORTED,
	VITAL_RETRACTED,
	VITAL_TTFT_P95,
	VITAL_QUEUE_P95,
	VITAL_IDLE_SHARE,
	VITAL_WEIGHT_VERSION,
	VITALS
};

struct step_row {
	const char *summary; /* NULL: after the last row */
	const char *key;     /* without its prefix; "": none */
	enum step_set set;
	enum step_how how;
	struct term of;
	struct term by;
	enum term_side side;
	double plus; /* for STEP_QUANTILE: the quantile */
	double scale;
	const char *unit;
	enum metric_rising rising;
	enum vital vital;
};

extern const struct step_row step_rows[];

/* Names of summaries, NULL-terminated. */
extern const char *const step_summaries[];

#endif
