/*
 * What an item's attributes say of it. The names are those that slime's
 * tracing gives (utils/trace_utils.py): a span that an exception left has
 * error_type and error_message at its end.
 */
#ifndef OBS_ROLLOUT_SPAN_ATTRS_H
#define OBS_ROLLOUT_SPAN_ATTRS_H

#include <stdbool.h>

#include "rollout/span.h"

/* The name of a request to the engine, streaming or not. */
bool is_generation(struct value name);

/* Seconds at its start that a closed generation span was queued, rounded to 6
 * decimals and at most its duration; 0 for other items and where nothing is
 * said. */
double item_queued(const struct item *item);

/* Whether it has an attribute error, exception, error_* or exception_* that
 * Python calls true. */
bool item_has_error(const struct item *item);

/* The tokens that the row's generation spans say they completed; NaN where none
 * says so. */
double row_completed(const struct row *row);

#endif
