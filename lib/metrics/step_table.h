/* What scripts/gen-steps makes of lib/metrics/steps.tsv, whose head says what
 * its columns mean. */
#ifndef OBS_METRICS_STEP_TABLE_H
#define OBS_METRICS_STEP_TABLE_H

#include "metrics/catalogue.h"
#include "metrics/term.h"

enum step_set { STEP_STEP, STEP_ALL, STEP_VITAL, STEP_PERF };

/* How a value is made. */
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

/* What is known of a worker. */
enum vital {
	VITAL_NONE,
	VITAL_UP,
	VITAL_RUNNING,
	VITAL_CAP, /* how many requests may run */
	VITAL_QUEUE,
	VITAL_PAUSED, /* requests, or engines, that are held on purpose */
	VITAL_KV_USAGE,
	VITAL_HIT_RATE,
	VITAL_THROUGHPUT,    /* tokens per second, as the engine says */
	VITAL_DECODE_RATE,   /* the same from a counter */
	VITAL_TOKENS,	     /* made, counted as they are */
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
	const char *summary; /* NULL: behind the last row */
	const char *key;     /* without its prefix; "": none */
	enum step_set set;
	enum step_how how;
	struct term of;
	struct term by;
	enum term_side side;
	double plus; /* of STEP_QUANTILE: the quantile */
	double scale;
	const char *unit;
	enum metric_rising rising;
	enum vital vital;
};

extern const struct step_row step_rows[];

/* Names of summaries, NULL at the end. */
extern const char *const step_summaries[];

#endif
