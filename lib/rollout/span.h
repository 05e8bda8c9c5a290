/*
 * The timeline of one sample: its trace events as spans, points and orphans,
 * repaired if the trace is torn, each on a lane.
 *
 * The rules are those of slime's own viewer (tools/trace_timeline_viewer.py,
 * read at 624b824a8), so equal dumps give equal timelines; what that one fails
 * on is skipped here and counted in `skipped`.
 *
 * Times are Unix seconds rounded to 6 decimals. Everything a row points to
 * lives in the arena passed to span_build or in the sample's own values.
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
	enum item_state state : 8;
	enum item_role role : 8; /* not ROLE_NONE: a virtual [P] or [D] lane */
	bool is_request; /* a generation span, by its name or its mark */
	uint32_t lane;
	uint32_t depth;
	struct value name;	   /* usually a str; any value is possible */
	double start;		   /* for a point or an orphan: its time */
	double end;		   /* for closed spans; else equal to start */
	double display_end;	   /* where an open span is cut; else end */
	struct value attempt;	   /* int or bigint */
	struct value span_id;	   /* none for points */
	struct value parent_id;	   /* none at the top level */
	const struct item *parent; /* the span with parent_id, NULL: unknown */
	struct value start_attrs;  /* only attributes of a point or orphan */
	struct value end_attrs;	   /* a dict, with clipped_by when open */
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
	struct value source; /* truncated to 64 characters if text */
	struct value status; /* likewise */
	struct value label;  /* truncated to 256 */
	struct value reward;
	struct value trace_id;
	struct value sample_id; /* the trace's own name for it */
	struct value attempt;
	double start, end, duration;
	uint32_t lane_count;
	uint32_t closed_count, open_count, point_count, orphan_count;
	struct value total_response_length; /* int or bigint */
	struct value max_response_length;
	bool is_aside;	  /* a timeline that is not of a sample */
	uint64_t skipped; /* unusable events and values */
	char what[160];	  /* the first of them, for a warning */
	uint32_t item_count;
	struct item *items; /* sorted by lane, start, display end, name */
};

struct sample; /* rollout/rollout.h */

/*
 * The row of a sample. Returns 1 with *row filled, 0 if the sample has no
 * usable events (then only skipped and what are set), or an error code. The
 * arena is the caller's; it is not reset here.
 */
int span_build(const struct sample *sample, struct arena *a, struct row *row,
	       struct err *err);

struct sample_trace; /* rollout/sample_trace.h */

/* The same for a sample whose trace was already read, into the same arena as
 * the row's items. */
int span_build_read(const struct sample *sample,
		    const struct sample_trace *trace, struct row *row,
		    struct err *err);

/* The origin of a sample: its own source, else from its metadata; none if they
 * do not have it. */
struct value sample_source(const struct sample *sample);

#endif
