/* What the name of a metric that is in no catalogue tells of it. */
#ifndef OBS_METRICS_GUESS_H
#define OBS_METRICS_GUESS_H

#include <stdbool.h>

#include "metrics/catalogue.h"

/* How a gauge is reduced: fractions are averaged, others added up. */
enum reduce_op guess_gauge_op(struct str name);

#endif
