/*
 * Internals of span_build, private to span*.c: the spans, points and orphans of
 * one sample under construction.
 */
#ifndef OBS_ROLLOUT_SPAN_BUILD_H
#define OBS_ROLLOUT_SPAN_BUILD_H

#include "rollout/sample_trace.h"
#include "rollout/span.h"

/* A span, a point or an orphan before times are rounded. */
struct raw_item {
	struct item item;
	int32_t id;
	int32_t parent; /* an id; of a virtual lane the index of its span */
};

struct span_builder {
	struct sample_trace trace;
	struct arena *arena;
	struct row *row;
	/* closed spans in order of end, open spans in order of start, points,
	 * orphans, virtual lanes */
	struct raw_item *items;
	uint32_t item_count, closed_count, span_count;
	int32_t *span_of;  /* by id number: the last span of that id, or -1 */
	int64_t *depth_of; /* by id number */
	double last_ts;
};

/* span_repair.c: depths of all spans; the display ends of open spans. */
int span_set_depths(struct span_builder *b, struct err *err);
int span_clip_open(struct span_builder *b, struct err *err);

/* span_row.c: everything in the row except its items. */
int span_fill_row(struct span_builder *b, const struct sample *sample,
		  struct err *err);

#endif
