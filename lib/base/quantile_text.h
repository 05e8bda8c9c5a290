/*
 * A quantile as users write it: 0.95, 95, p95. From 0 to 1 it is a fraction,
 * above 1 and up to 100 a percentile; after a p it is always a percentile,
 * which allows p1. Everything else is rejected.
 */
#ifndef OBS_BASE_QUANTILE_TEXT_H
#define OBS_BASE_QUANTILE_TEXT_H

#include <stdbool.h>

#include "base/str.h"

/* For messages: what quantile_parse accepts. */
#define QUANTILE_ACCEPTED "from 0 to 100, such as 0.95, 95 or p95"

/* The same quantile twice, each correctly rounded: 0.95 and 95. */
struct quantile_value {
	double fraction;
	double percent;
};

/* All of text must be a quantile; if not, false and *value unchanged. */
bool quantile_parse(struct str text, struct quantile_value *value);

#endif
