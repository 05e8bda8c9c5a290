/* The values of an engine in a frame. Private to metrics/board. */
#ifndef OBS_METRICS_BOARD_VALUES_H
#define OBS_METRICS_BOARD_VALUES_H

#include "metrics/board.h"

/* For an engine that answers; its window has its activity. */
void board_values_of(const struct board *b, struct board_engine *e,
		     const struct worker *worker, double time,
		     double values[BOARD_VALUES]);

/* For one that does not answer. */
void board_values_none(const struct board_engine *e, double time,
		       double values[BOARD_VALUES]);

#endif
