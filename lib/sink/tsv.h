/*
 * Cells of tab-separated values.
 */
#ifndef OBS_SINK_TSV_H
#define OBS_SINK_TSV_H

#include "base/io.h"
#include "base/str.h"

/* Field and line ends become \t, \n, \r; a backslash is doubled. */
void tsv_put_text(struct out *out, struct str text);

/* A tab and a number with the fewest digits; NaN: an empty cell. */
void tsv_put_number(struct out *out, double d);

#endif
