/*
 * Spans without an end, and cyclic parents.
 */
#include <math.h>
#include <stdlib.h>

#include "fmt/value/value_make.h"
#include "rollout/span_build.h"

enum { UNKNOWN = -2, ON_PATH = -3 };

static int32_t parent_span(const struct span_builder *b, int32_t id)
{
	int32_t parent = b->items[b->span_of[id]].parent;

	if (parent == SPAN_ID_NONE || b->span_of[parent] < 0)
		return SPAN_ID_NONE;
	return parent;
}

/*
 * The number of known ancestors of a span id, walking up and then back down the
 * path. A cycle is cut where the walk meets its own path, at depth 1.
 */
static void resolve_depth(struct span_builder *b, int32_t id, int32_t *path)
{
	uint32_t n = 0;
	int64_t depth = -1;

	while (id != SPAN_ID_NONE && b->depth_of[id] == UNKNOWN) {
		b->depth_of[id] = ON_PATH;
		path[n++] = id;
		id = parent_span(b, id);
	}
	if (id != SPAN_ID_NONE)
		depth = b->depth_of[id] == ON_PATH ? 0 : b->depth_of[id];
	while (n > 0)
		b->depth_of[path[--n]] = ++depth;
}

int span_set_depths(struct span_builder *b, struct err *err)
{
	int32_t *path =
		arena_alloc(b->arena, b->trace.ids.count * sizeof(*path));

	b->depth_of = arena_alloc(b->arena,
				  b->trace.ids.count * sizeof(*b->depth_of));
	if (path == NULL || b->depth_of == NULL)
		return arena_error(b->arena, err);
	for (uint32_t i = 0; i < b->trace.ids.count; i++)
		b->depth_of[i] = UNKNOWN;
	for (uint32_t i = 0; i < b->span_count; i++)
		resolve_depth(b, b->items[i].id, path);
	return 0;
}

static int compare(double a, double b)
{
	if (isnan(a) || isnan(b)) /* invalid times sort last */
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

/* Group siblings, by start. */
static int by_start(const void *x, const void *y)
{
	const struct raw_item *a = *(const struct raw_item *const *)x;
	const struct raw_item *c = *(const struct raw_item *const *)y;
	int order = compare(a->item.start, c->item.start);

	if (a->parent != c->parent)
		return a->parent < c->parent ? -1 : 1;
	return order != 0 ? order : (a > c) - (a < c);
}

/*
 * The nearest closed span from id upward, including itself, as an index in
 * items; SPAN_ID_NONE if there is none, also for cyclic parents. Results for
 * the ids on the way are cached in closed_of.
 */
static int32_t nearest_closed(struct span_builder *b, int32_t id,
			      int32_t *closed_of, int32_t *path)
{
	int32_t found = SPAN_ID_NONE;
	uint32_t n = 0;

	while (id != SPAN_ID_NONE && b->span_of[id] >= 0) {
		if (closed_of[id] != UNKNOWN) {
			found = closed_of[id];
			break;
		}
		closed_of[id] = SPAN_ID_NONE;
		path[n++] = id;
		if (b->items[b->span_of[id]].item.state == ITEM_CLOSED) {
			found = b->span_of[id];
			break;
		}
		id = b->items[b->span_of[id]].parent;
	}
	while (n > 0)
		closed_of[path[--n]] = found;
	return found;
}

static bool set_clipped_by(struct span_builder *b, struct raw_item *span,
			   const char *why)
{
	struct value attrs = value_new(b->arena, VALUE_DICT, 2);
	struct value pair[2] = {value_str(str_of("clipped_by")),
				value_str(str_of(why))};

	span->item.end_attrs = attrs;
	return attrs.kind != VALUE_ABSENT &&
	       value_push_all(b->arena, attrs, pair, 2);
}

/* Show an open span until the earliest possible end; next is the start of its
 * next sibling and closed its nearest closed ancestor, if any. */
static bool clip(struct span_builder *b, struct raw_item *span,
		 const double *next, const struct raw_item *closed)
{
	const char *why = "row_end";
	double end = b->last_ts;

	if (next != NULL && *next < end) {
		end = *next;
		why = "next_sibling_start";
	}
	if (closed != NULL && closed->item.end > span->item.start &&
	    closed->item.end < end) {
		end = closed->item.end;
		why = "ancestor_end";
	}
	if (end <= span->item.start) {
		end = span->item.start;
		why = "self";
	}
	span->item.display_end = end;
	return set_clipped_by(b, span, why);
}

/* Clip the open ones among the spans, sorted by start among siblings. */
static int clip_sorted(struct span_builder *b, struct raw_item *const *sorted,
		       int32_t *closed_of, int32_t *path, struct err *err)
{
	double after = 0;
	bool has_next = false;

	for (uint32_t i = b->span_count; i-- > 0;) {
		struct raw_item *span = sorted[i];
		int32_t closed;

		if (i + 1 == b->span_count ||
		    sorted[i + 1]->parent != span->parent) {
			has_next = false;
		} else if (sorted[i + 1]->item.start > span->item.start) {
			has_next = true;
			after = sorted[i + 1]->item.start;
		}
		if (span->item.state != ITEM_OPEN)
			continue;
		closed = nearest_closed(b, span->parent, closed_of, path);
		if (!clip(b, span, has_next ? &after : NULL,
			  closed < 0 ? NULL : &b->items[closed]))
			return arena_error(b->arena, err);
	}
	return 0;
}

int span_clip_open(struct span_builder *b, struct err *err)
{
	uint32_t n = b->span_count;
	struct raw_item **sorted;
	int32_t *closed_of, *path;

	if (n == b->closed_count)
		return 0;
	sorted = arena_alloc(b->arena, n * sizeof(struct raw_item *));
	closed_of =
		arena_alloc(b->arena, b->trace.ids.count * sizeof(*closed_of));
	path = arena_alloc(b->arena, b->trace.ids.count * sizeof(*path));
	if (sorted == NULL || closed_of == NULL || path == NULL)
		return arena_error(b->arena, err);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &b->items[i];
	for (uint32_t i = 0; i < b->trace.ids.count; i++)
		closed_of[i] = UNKNOWN;
	qsort(sorted, n, sizeof(struct raw_item *), by_start);
	return clip_sorted(b, sorted, closed_of, path, err);
}
