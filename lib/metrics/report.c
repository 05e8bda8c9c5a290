#include "metrics/report.h"

#include <stddef.h>

static const struct {
	uint64_t most;	   /* remarks printed individually */
	const char *total; /* common text */
	bool warning;
	bool ordinary; /* only for -v */
} kinds[REMARKS] = {
	[REMARK_BAD_LINE] = {UINT64_MAX, "bad lines", false, false},
	[REMARK_FOREIGN] = {100, "operands that are not metrics", false, false},
	[REMARK_EMPTY] = {5, "operands or snapshots without samples", true,
			  false},
	[REMARK_DUPLICATE] = {20, "duplicate series", true, false},
	[REMARK_CLASH] = {20, "operands with series of others", false, false},
	[REMARK_TYPE_CONFLICT] = {20, "type conflicts", true, false},
	[REMARK_HELP_CONFLICT] = {5, "differing HELP texts", true, false},
	[REMARK_NAME_CONFLICT] = {20, "name conflicts", true, false},
	[REMARK_AFTER_EOF] = {5, "lines after # EOF", true, false},
	[REMARK_ESCAPE] = {5, "lines with undefined escapes", true, false},
	[REMARK_BUCKETS] = {20, "histograms with odd buckets", true, false},
	[REMARK_DROPPED] = {0,
			    "samples dropped because they cannot be combined "
			    "(quantiles, _created, buckets without a bound)",
			    false, false},
	[REMARK_NAN] = {0, "samples that are NaN", false, false},
	[REMARK_COPY] = {0, "samples dropped as copies of other ranks", false,
			 true},
	[REMARK_PART] = {0, "samples dropped as totals or parts of them", false,
			 true},
	[REMARK_ABSENT] = {0, "samples dropped that mean \"no value\"", false,
			   true},
	[REMARK_NO_REDUCTION] = {0,
				 "samples dropped that are neither added nor "
				 "averaged",
				 false, true},
	[REMARK_RESET] = {5, "series that decreased", false, false},
	[REMARK_NEW] = {5, "new series", false, false},
	[REMARK_GONE] = {5, "vanished series", false, false},
	[REMARK_MISSING] = {20, "names in options that are not in the input",
			    false, false},
	[REMARK_NO_KEYS] = {5, "snapshots without a key", false, false},
	[REMARK_FIRST] = {1, "first snapshots", false, false},
	[REMARK_BOUND] = {5, "bounds at which no bucket ends", false, false},
	[REMARK_NO_TIME] = {5, "snapshots without a time", true, false},
	[REMARK_WINDOW] = {1, "snapshots closer than --window", true, false},
	[REMARK_OLD_STATE] = {1, "old states", true, false},
	[REMARK_OLD_NAME] = {5, "metrics under two names", true, false},
};

struct report report_new(void (*say)(void *to, enum remark remark,
				     const struct err *err),
			 void *to)
{
	struct report r = {.say = say, .to = to};

	for (size_t i = 0; i < REMARKS; i++)
		r.most[i] = kinds[i].most;
	return r;
}

const char *report_rest(const struct report *r, enum remark remark)
{
	return r->counts[remark] > r->most[remark] ? kinds[remark].total : NULL;
}

bool remark_is_ordinary(enum remark remark)
{
	return kinds[remark].ordinary;
}

bool remark_is_failure(enum remark remark)
{
	return remark == REMARK_BAD_LINE || remark == REMARK_FOREIGN ||
	       remark == REMARK_CLASH || remark == REMARK_NO_KEYS ||
	       remark == REMARK_BOUND;
}

bool remark_is_warning(enum remark remark)
{
	return kinds[remark].warning;
}
