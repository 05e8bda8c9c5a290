/*
 * Cells of tab-separated values.
 */
#ifndef OBS_SINK_TSV_H
#define OBS_SINK_TSV_H

#include "base/io.h"
#include "base/str.h"

/* Control characters become \t, \n, \r or \xNN; a backslash is doubled. */
void tsv_put_text(struct out *out, struct str text);

/* The same for text in which a backslash is doubled already. */
void tsv_put_escaped(struct out *out, struct str text);

/* A tab and a number with the fewest digits; NaN: an empty cell. */
void tsv_put_number(struct out *out, double d);

#endif
