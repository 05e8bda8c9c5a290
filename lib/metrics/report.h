/*
 * Remarks of the model while it works: a program decides whether and how to
 * print them. Each has its place in err; texts follow err.h.
 */
#ifndef OBS_METRICS_REPORT_H
#define OBS_METRICS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum remark {
	REMARK_BAD_LINE,      /* a line was skipped */
	REMARK_FOREIGN,	      /* an operand is something else: skipped */
	REMARK_EMPTY,	      /* an operand or snapshot has no samples */
	REMARK_DUPLICATE,     /* a duplicate series: the first counts */
	REMARK_CLASH,	      /* operands have common series */
	REMARK_TYPE_CONFLICT, /* TYPEs differ: the first stays */
	REMARK_HELP_CONFLICT, /* HELPs differ: the first stays */
	REMARK_NAME_CONFLICT, /* two names became one */
	REMARK_AFTER_EOF,     /* text that belongs to nothing */
	REMARK_ESCAPE,	      /* a backslash that escapes nothing */
	REMARK_BUCKETS,	      /* bucket bounds differ or are missing */
	REMARK_DROPPED,	      /* not reducible, dropped */
	REMARK_NAN,	      /* NaN was ignored */
	REMARK_COPY,	      /* another rank's copy was ignored */
	REMARK_PART,	      /* a total, or its parts, were ignored */
	REMARK_ABSENT,	      /* a value that means "no value" */
	REMARK_NO_REDUCTION,  /* values that cannot be combined */
	REMARK_RESET,	      /* a counter went down */
	REMARK_NEW,	      /* a series without an earlier value */
	REMARK_GONE,	      /* a series without a later value */
	REMARK_MISSING,	      /* no input matches what an option names */
	REMARK_NO_KEYS,	      /* a step without anything requested */
	REMARK_FIRST,	      /* and one that has it from the next on */
	REMARK_BOUND,	      /* a bound that no histogram has */
	REMARK_NO_TIME,	      /* the time between snapshots is unknown */
	REMARK_WINDOW,	      /* and here it is less than the --window */
	REMARK_OLD_STATE,     /* and here it is long */
	REMARK_OLD_NAME,      /* some series have a metric's older name only */
	REMARKS
};

struct report {
	void (*say)(void *to, enum remark remark, const struct err *err);
	void *to;
	uint64_t counts[REMARKS];
	uint64_t most[REMARKS]; /* how many to report */
};

/* A report that prints the first few remarks of each kind. */
struct report report_new(void (*say)(void *to, enum remark remark,
				     const struct err *err),
			 void *to);

/* The common text of a kind's remarks, for "TEXT: COUNT"; NULL if most of them
 * were printed individually. */
const char *report_rest(const struct report *r, enum remark remark);

/* Does the kind mean that something failed? */
bool remark_is_failure(enum remark remark);

/* Is the kind a warning, rather than a failure or a note? */
bool remark_is_warning(enum remark remark);

/* Is it only of interest with -v? */
bool remark_is_ordinary(enum remark remark);

/* Count a remark. Returns whether to report it: then fill an err and call
 * report_say. This way a million duplicates cost a million increments. */
static inline bool report_count(struct report *r, enum remark remark)
{
	return r->counts[remark]++ < r->most[remark];
}

static inline void report_say(const struct report *r, enum remark remark,
			      const struct err *err)
{
	r->say(r->to, remark, err);
}

#endif
