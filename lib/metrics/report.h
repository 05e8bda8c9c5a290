/*
 * What the model has to say while it works: a program decides whether and how
 * to print it. Each remark names its place in err; texts follow err.h.
 */
#ifndef OBS_METRICS_REPORT_H
#define OBS_METRICS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum remark {
	REMARK_BAD_LINE,      /* a line was skipped */
	REMARK_FOREIGN,	      /* an operand is something else: left out */
	REMARK_EMPTY,	      /* an operand or snapshot has no samples */
	REMARK_DUPLICATE,     /* a series stood twice: the first counts */
	REMARK_CLASH,	      /* operands have series in common */
	REMARK_TYPE_CONFLICT, /* TYPEs differ: the first stays */
	REMARK_HELP_CONFLICT, /* HELPs differ: the first stays */
	REMARK_NAME_CONFLICT, /* two names became one */
	REMARK_AFTER_EOF,     /* text that belongs to nothing */
	REMARK_ESCAPE,	      /* a backslash that escapes nothing */
	REMARK_BUCKETS,	      /* bucket bounds differ or are missing */
	REMARK_DROPPED,	      /* what cannot be reduced was left out */
	REMARK_NAN,	      /* NaN was kept out */
	REMARK_COPY,	      /* another rank's copy of a fact was left out */
	REMARK_PART,	      /* a total, or its parts, were left out */
	REMARK_ABSENT,	      /* a value that says that there is none */
	REMARK_NO_REDUCTION,  /* values that do not become one */
	REMARK_RESET,	      /* a counter went down */
	REMARK_NEW,	      /* a series without an earlier value */
	REMARK_GONE,	      /* a series without a later value */
	REMARK_MISSING,	      /* what an option names is nowhere */
	REMARK_NO_KEYS,	      /* a step without anything that was asked for */
	REMARK_FIRST,	      /* and one that has it from the next on */
	REMARK_BOUND,	      /* a bound that no histogram has */
	REMARK_NO_TIME,	      /* the time between snapshots is unknown */
	REMARK_OLD_STATE,     /* and here it is long */
	REMARK_OLD_NAME,      /* some series have a metric's older name only */
	REMARKS
};

struct report {
	void (*say)(void *to, enum remark remark, const struct err *err);
	void *to;
	uint64_t counts[REMARKS];
	uint64_t most[REMARKS]; /* how many are worth saying */
};

/* A report that says the first few remarks of each kind. */
struct report report_new(void (*say)(void *to, enum remark remark,
				     const struct err *err),
			 void *to);

/* What remarks of the kind have in common, for "TEXT: COUNT"; NULL: more were
 * said one by one than there is to tell in all. */
const char *report_rest(const struct report *r, enum remark remark);

/* Does the kind say that something failed? */
bool remark_is_failure(enum remark remark);

/* Is the kind a warning, rather than a failure or an ordinary matter? */
bool remark_is_warning(enum remark remark);

/* Is it of interest only to those who ask for details? */
bool remark_is_ordinary(enum remark remark);

/* Count a remark. Returns whether it is worth saying: then fill an err and
 * call report_say. So a million duplicates cost a million increments. */
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
