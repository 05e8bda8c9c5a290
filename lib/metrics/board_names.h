/* The names and the order of rows. Private to metrics/board_view. */
#ifndef OBS_METRICS_BOARD_NAMES_H
#define OBS_METRICS_BOARD_NAMES_H

#include "metrics/board_view.h"

/* Remove the common parts of names: the scheme, the host if it is always the
 * same, else the port if that is. */
void board_shorten(struct board_row *rows, uint32_t n);

/* Sort by an enum board_value, BOARD_BY_ALARM etc.: unknown values last, equal
 * ones by name. */
void board_sort(struct board_row *rows, uint32_t n, int sort, bool reversed);

#endif
