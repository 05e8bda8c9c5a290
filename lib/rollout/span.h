/*
 * The timeline of one sample: its trace events made into spans, points and
 * orphans, repaired where the trace is torn, each on a lane.
 *
 * The rules are those of slime's own viewer (tools/trace_timeline_viewer.py,
 * read at 624b824a8), so that equal dumps give equal timelines; what that one
 * fails on is skipped here and counted in `skipped`.
 *
 * Times are Unix seconds rounded to 6 decimals. Everything a row points to
 * lives in the arena given to span_build or in the sample's own values, and
 * dies with them.
 */
#ifndef OBS_ROLLOUT_SPAN_H
#define OBS_ROLLOUT_SPAN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "fmt/value/value.h"
#include "rollout/pd_role.h"

enum item_state { ITEM_CLOSED, ITEM_OPEN, ITEM_POINT, ITEM_ORPHAN };

struct item {
	enum item_state state;
	enum item_role role;	/* not ROLE_NONE: a virtual [P] or [D] lane */
	struct value name;	/* usually a str; any value is possible */
	double start;		/* of a point or an orphan: its time */
	double end;		/* closed spans; else equal to start */
	double display_end;	/* where an open span is cut; else end */
	struct value attempt;	/* int or bigint */
	struct value span_id;	/* none for points */
	struct value parent_id; /* none at the top */
	const struct item *parent; /* the span of parent_id, NULL: unknown */
	uint32_t lane;
	uint32_t depth;
	bool is_request; /* a generation span, by its name or its mark */
	struct value start_attrs; /* a point's or orphan's only attributes */
	struct value end_attrs;	  /* a dict, with clipped_by when open */
};

static inline bool item_is_span(const struct item *item)
{
	return item->state == ITEM_CLOSED || item->state == ITEM_OPEN;
}

static inline bool item_is_timed(const struct item *item)
{
	return isfinite(item->start) && isfinite(item->display_end);
}

struct row {
	uint64_t row_id; /* position of the sample in its dump, from 0 */
	struct value sample_index;
	struct value group_index;
	struct value source; /* cut to 64 characters when text */
	struct value status; /* likewise */
	struct value label;  /* cut to 256 */
	struct value reward;
	struct value trace_id;
	struct value sample_id; /* as the trace calls it */
	struct value attempt;
	double start, end, duration;
	uint32_t lane_count;
	uint32_t closed_count, open_count, point_count, orphan_count;
	struct value total_response_length; /* int or bigint */
	struct value max_response_length;
	bool is_aside;	  /* a timeline that is of no sample */
	uint64_t skipped; /* events and values that could not be used */
	char what[160];	  /* the first of them, for a warning */
	uint32_t item_count;
	struct item *items; /* sorted by lane, start, display end, name */
};

struct sample; /* rollout/rollout.h */

/*
 * The row of a sample. Returns 1 with *row filled, 0 when the sample has no
 * usable events (then only skipped and what are set), or an error code. The
 * arena is the caller's; it is not reset here.
 */
int span_build(const struct sample *sample, struct arena *a, struct row *row,
	       struct err *err);

struct sample_trace; /* rollout/sample_trace.h */

/* The same of a sample whose trace has been read, into the arena that the
 * row's items go into as well. */
int span_build_read(const struct sample *sample,
		    const struct sample_trace *trace, struct row *row,
		    struct err *err);

/* Where a sample came from: its own source, else what its metadata say; none
 * when they do not. */
struct value sample_source(const struct sample *sample);

#endif
