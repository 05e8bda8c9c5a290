/*
 * Facts in an item's attributes. The names are those of slime's tracing
 * (utils/trace_utils.py): a span left by an exception has error_type and
 * error_message at its end.
 */
#ifndef OBS_ROLLOUT_SPAN_ATTRS_H
#define OBS_ROLLOUT_SPAN_ATTRS_H

#include <stdbool.h>
#include <string.h>

#include "rollout/sample_trace.h"
#include "rollout/span.h"

/* The name of an engine request, streaming or not. */
bool is_generation(struct value name);

/* The name of an event with PD timings of the request around it. */
static inline bool is_pd_part(struct value name)
{
	static const char begin[] = "sglang_pd_";

	return name.kind == VALUE_STR && name.n >= sizeof(begin) - 1 &&
	       memcmp(name.p, begin, sizeof(begin) - 1) == 0;
}

/* Does it end an engine request, of which it has the figures? */
bool is_request_end(const struct event *event);

/* Seconds at its start that a closed generation span was queued, rounded to 6
 * decimals and at most its duration; 0 for other items and if unknown. */
double item_queued(const struct item *item);

/* Does it have an attribute error, exception, error_* or exception_* that is
 * true in Python? */
bool item_has_error(const struct item *item);

/* The completion tokens of the row's generation spans; NaN if none has any.
 * Negative ones are not counted. */
double row_completed(const struct row *row);

/* How many of the row's generation spans have a negative number of them. */
uint64_t row_negative_tokens(const struct row *row);

#endif
