/* Guesses about a metric that is not in the catalogue, from its name. */
#ifndef OBS_METRICS_GUESS_H
#define OBS_METRICS_GUESS_H

#include <stdbool.h>

#include "metrics/catalogue.h"

/* How to reduce a gauge: fractions are averaged, others summed. */
enum reduce_op guess_gauge_op(struct str name);

#endif
