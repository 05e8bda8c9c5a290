/*
 * The inside of span_build, shared by span*.c alone: one sample's events, the
 * spans made of them, and how a part of a trace that cannot be used is noted.
 */
#ifndef OBS_MODEL_SPAN_BUILD_H
#define OBS_MODEL_SPAN_BUILD_H

#include "model/rollout.h"
#include "model/span.h"
#include "model/span_ids.h"

enum event_kind { EVENT_POINT, EVENT_START, EVENT_END };

struct event {
	enum event_kind kind;
	double ts; /* Unix seconds, not rounded */
	struct value name;
	struct value attempt;
	struct value span_id;	/* none, or as given */
	struct value parent_id; /* given or inferred, else none */
	int32_t id;		/* numbers of these, or SPAN_ID_NONE */
	int32_t parent;
	struct value attrs; /* an empty dict where there were none */
	bool closes;	    /* an end that has its start */
};

/* A span, a point or an orphan before times are rounded. */
struct raw_item {
	struct item item; /* start, end, display_end not yet set */
	double start, end, display_end;
	int32_t id, parent;
};

struct span_builder {
	const struct sample *sample;
	struct arena *arena;
	struct row *row;
	struct value no_attrs; /* one empty dict for all */
	struct value default_attempt;
	struct span_ids ids;
	struct event *events;
	uint32_t event_count;
	/* closed spans in order of their ends, open spans in order of their
	 * starts, points, orphans, virtual lanes */
	struct raw_item *items;
	uint32_t item_count, closed_count, span_count;
	int32_t *span_of; /* by id number: the last span of that id, or -1 */
	int64_t *depth_of; /* by id number */
	double last_ts;
};

/* Note that a part of the trace could not be used; the first is kept. */
void span_skip(struct span_builder *b, uint32_t event, const char *what);

/* span_events.c: fill events, ids; 0 or an error. */
int span_read_events(struct span_builder *b, struct err *err);

/* The value as the timeline shows it: what JSON has no form for as text. */
struct value span_shown(struct span_builder *b, struct value v);
/* The same as text in any case: str(v). */
struct value span_shown_text(struct span_builder *b, struct value v);

/* span_repair.c: depths of all spans; the display ends of open spans. */
int span_set_depths(struct span_builder *b, struct err *err);
int span_clip_open(struct span_builder *b, struct err *err);

/* span_row.c: everything of the row but its items. */
int span_fill_row(struct span_builder *b, struct err *err);

#endif
