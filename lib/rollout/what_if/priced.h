/*
 * The request for an estimate, and its results.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_PRICED_H
#define OBS_ROLLOUT_WHAT_IF_PRICED_H

#include "rollout/what_if/bill.h"
#include "rollout/what_if/replay.h"

enum what_if_remedy_kind {
	REMEDY_CUT_P99,
	REMEDY_CUT_P95,
	REMEDY_CUT_P90,
	REMEDY_REWARD_MEDIAN,
	REMEDY_TOOL_MEDIAN,
	REMEDY_ENGINES_EQUAL,
	REMEDY_STALLS_GONE,
	REMEDY_ENGINES_X2,
	REMEDY_SLOTS_X2,
	REMEDY_STOP_AT_95,
	REMEDY_STOP_AT_90,
	REMEDY_KINDS,

	/* With the user's own value. */
	REMEDY_CUT = REMEDY_KINDS,
	REMEDY_SLOTS
};

enum { WHAT_IF_OWN_MAX = 16, WHAT_IF_REFUSED_MAX = 8, WHAT_IF_TEXT_MAX = 160 };

/* If stalls took more than this fraction of the wall, they decide it. */
#define WHAT_IF_STALLED_MOST 0.1

/* A remedy with the user's own value. */
struct what_if_own {
	enum what_if_remedy_kind kind; /* REMEDY_CUT or REMEDY_SLOTS */
	uint32_t value;		       /* tokens; slots per engine */
};

/* The --what-if request. */
struct what_if_plan {
	bool chosen; /* only these: */
	bool remedies[REMEDY_KINDS];
	struct what_if_own own[WHAT_IF_OWN_MAX];
	size_t own_count;
};

struct what_if_remedy {
	char id[32];
	enum what_if_remedy_kind kind;
	struct what_if_change change;
	char refused[WHAT_IF_TEXT_MAX]; /* "": it has an estimate */
	double wall;
	double low, high; /* low NaN: unknown */
	double saves;	  /* seconds */
	bool sure;	  /* it is certainly quicker */
	bool range_only;  /* wall is no better than the rest of the range */
	bool recorded;	  /* read from the dump's times, not modelled */
	double tokens_lost;
};

struct what_if_check {
	double wall_error;			/* a ratio */
	double end_error_median, end_error_p95; /* seconds */
	double wall_limit, end_limit; /* the largest errors it may have */
	double fit_error;	      /* a ratio; NaN: engines are not named */
	bool fits; /* the steps of its engines are those recorded */
	bool ok;
	char refused[WHAT_IF_REFUSED_MAX][WHAT_IF_TEXT_MAX];
	size_t refused_count;
};

struct what_if_added {
	const struct what_if_remedy *remedy;
	double wall;
};

struct what_if {
	struct what_if_model model;
	struct what_if_fit fit;		/* where the model is described */
	char refused[WHAT_IF_TEXT_MAX]; /* it cannot be modelled at all */
	struct what_if_check check;
	struct what_if_bill bill;
	struct what_if_bounds bounds;
	bool has_luck;
	double luck_p5, luck_p50, luck_p95; /* seconds */
	double tokens;			    /* completion tokens in total */
	double stalled_part;		    /* fraction of the wall */
	struct what_if_remedy remedies[REMEDY_KINDS + WHAT_IF_OWN_MAX];
	size_t remedy_count;
	struct what_if_added stack[REMEDY_KINDS + WHAT_IF_OWN_MAX];
	size_t stack_count;
};

#endif
