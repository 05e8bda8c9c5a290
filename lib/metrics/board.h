/*
 * The state of a fleet of engines, for display: one row per engine, one frame
 * per snapshot, and the alarms that were on at each time.
 *
 * A frame has the value of each column for each engine. Rates, ratios and
 * quantiles cover a window that ends with the frame, gauges are those of its
 * snapshot; unknown values are NaN. Memory is bounded by the number of engines:
 * if all frames would exceed BOARD_BYTES, fewer are kept.
 */
#ifndef OBS_METRICS_BOARD_H
#define OBS_METRICS_BOARD_H

#include "metrics/alarms.h"
#include "metrics/board_window.h"

enum board_value {
	BOARD_RUNNING,
	BOARD_CAP, /* limit on running requests; NaN: unknown */
	BOARD_QUEUE,
	BOARD_KV_USAGE,
	BOARD_HIT_RATE,
	BOARD_TOKENS,	      /* output tokens per second */
	BOARD_TOKENS_FROM,    /* an enum tokens_from */
	BOARD_REQUEST_TOKENS, /* the same per running request */
	BOARD_TTFT_P95,
	BOARD_QUEUE_P95,
	BOARD_RETRACTED, /* per minute */
	BOARD_ABORTED,
	BOARD_IDLE_SHARE,
	BOARD_WEIGHTS,
	BOARD_AGE,	 /* seconds since the last answer */
	BOARD_UP,	 /* 1 or 0 */
	BOARD_EFFECTIVE, /* running divided by its limit */
	BOARD_VALUES
};

struct board_engine {
	uint64_t id;
	struct str name;   /* for display; empty: the only one */
	struct str labels; /* as text */
	double seen;	   /* when it last answered, Unix seconds */
	double peak;	   /* peak of running requests */
	uint32_t missing;  /* snapshots since then */
	uint32_t alarms;   /* that are on, as bits by enum alarm_kind */
	bool here;	   /* seen, and not gone */
	uint64_t first;	   /* its first frame */
	struct board_window window;
	float *values; /* a ring of frames of BOARD_VALUES */
};

/* All engines together. */
struct board_frame {
	double time;
	double running;
	double queued;
	double tokens;
	double effective;
	uint32_t engines;
	uint32_t up;
	uint32_t busy; /* engines with running requests */
	bool measured; /* id, unless for the fleet */
	double tail;   /* since when few are left; NaN: many, or none */
};

struct board_alarm {
	enum alarm_kind kind;
	bool fleet;
	uint64_t engine; /* id, or BOARD_FLEET */
	double since;	 /* the condition is true */
	double begin;	 /* the alarm is on */
	double end;	 /* infinity: still on */
	double value;
	double limit;
	double hold;
	char text[128];
	struct alarm_verdict verdict; /* the latest */
};

/* An engine appears, or is gone: missing from three snapshots. */
struct board_change {
	const struct board_engine *engine;
	bool comes;
	double time;
	double since; /* when it last answered before */
};

enum {
	BOARD_FRAMES = 4096,		/* at most */
	BOARD_LEAST = 64,		/* and at least */
	BOARD_BYTES = 16 * 1024 * 1024, /* of the frames of all engines */
	BOARD_ALARMS = 4096,
	BOARD_GONE = 3, /* snapshots without it until an engine is gone */
};

struct board {
	double window; /* seconds */
	struct board_engine **engines;
	uint32_t n;
	size_t cap;
	struct map by_id;
	struct board_frame *frames; /* a ring */
	uint64_t frame_cap;	    /* of the engines' rings, too */
	uint64_t n_frames;	    /* total taken */
	double started;		    /* time of the first */
	double set_by;		    /* seconds times of engines were moved by */
	double peak;		    /* peak of requests since none ran */
	struct board_alarm *alarms; /* in order of their begin */
	uint32_t n_alarms;
	size_t alarms_cap;
	struct board_change *changes; /* of the last snapshot */
	uint32_t n_changes;
	size_t changes_cap;
};

/* Rates cover `window` seconds. */
struct board board_new(double window);
void board_free(struct board *b);

/* A snapshot, later than the previous ones, the n alarms it began or ended, and
 * (or NULL) all. The changes, until the next one: b->changes. 0 or an error. */
int board_take(struct board *b, const struct vitals *vitals,
	       const struct alarm_event *events, size_t n,
	       const struct alarms *alarms, struct err *err);

/* The oldest frame kept, and a frame from it to b->n_frames - 1. */
uint64_t board_oldest(const struct board *b);
const struct board_frame *board_frame_at(const struct board *b, uint64_t i);

/* A value of an engine in a frame; NaN before its first. */
double board_value_at(const struct board *b, const struct board_engine *e,
		      uint64_t frame, enum board_value value);

/* Was the alarm on at that time? And what was then to be said of it. */
bool board_alarm_is_on(const struct board_alarm *a, double time);
struct alarm_verdict board_verdict_at(const struct board_alarm *a, double time);

/* The engine with an id; NULL if there is none or it was dropped. */
const struct board_engine *board_find(const struct board *b, uint64_t id);

#endif
