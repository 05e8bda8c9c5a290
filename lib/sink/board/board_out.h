/* A board at one time as a table for people, as JSON, and as TSV; and the
 * changes of a board as lines. */
#ifndef OBS_SINK_BOARD_BOARD_OUT_H
#define OBS_SINK_BOARD_BOARD_OUT_H

#include "base/io.h"
#include "metrics/board_view.h"

int board_out_table(struct out *out, const struct board_view *v,
		    struct err *err);

/* {"time", "window", "fleet": {...}, "engines": [...], "alarms": [...]};
 * unknown values are null. The rows of v are engines. */
int board_out_json(struct out *out, const struct board_view *v,
		   struct err *err);

/* A heading with the keys of JSON, and a line per row; unknown values are
 * empty. */
int board_out_tsv(struct out *out, const struct board_view *v, struct err *err);

/* An engine appears or is gone, as a line of text or JSON. */
int board_out_change(struct out *out, const struct board_change *change,
		     bool json, struct err *err);

#endif
