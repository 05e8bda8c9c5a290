#include "rollout/span.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "rollout/pd_role.h"
#include "rollout/span_attrs.h"
#include "rollout/span_build.h"

static struct raw_item *add_item(struct span_builder *b, enum item_state state,
				 const struct event *e)
{
	struct raw_item *raw = &b->items[b->item_count++];

	*raw = (struct raw_item){.id = e->id, .parent = e->parent};
	raw->item = (struct item){.state = state,
				  .is_request = is_generation(e->name) ||
						e->request.kind == VALUE_DICT,
				  .name = e->name,
				  .start = e->ts,
				  .end = e->ts,
				  .display_end = e->ts,
				  .attempt = e->attempt,
				  .span_id = e->span_id,
				  .parent_id = e->parent_id,
				  .start_attrs = e->attrs,
				  .end_attrs = b->trace.no_attrs};
	return raw;
}

/* State while starts are paired with ends, by id number: the event of the start
 * that counts, and the first since the id was last closed, which determines the
 * span's position in the order; -1 if the id is not open. */
struct open_starts {
	int64_t *event;
	int64_t *first;
};

/* Afterwards items holds the closed spans in order of their ends. */
static void add_closed_spans(struct span_builder *b, struct open_starts open)
{
	for (uint32_t i = 0; i < b->trace.count; i++) {
		struct event *e = &b->trace.events[i];
		struct raw_item *raw;

		e->closes = false;
		if (e->kind == EVENT_START) {
			open.event[e->id] = i;
			if (open.first[e->id] < 0)
				open.first[e->id] = i;
		} else if (e->kind == EVENT_END && e->id != SPAN_ID_NONE &&
			   open.event[e->id] >= 0) {
			raw = add_item(b, ITEM_CLOSED,
				       &b->trace.events[open.event[e->id]]);
			raw->item.end = e->ts;
			raw->item.display_end = e->ts;
			raw->item.end_attrs = e->attrs;
			open.event[e->id] = -1;
			open.first[e->id] = -1;
			e->closes = true;
		}
	}
	b->closed_count = b->item_count;
}

static void add_open_spans(struct span_builder *b, struct open_starts open)
{
	for (uint32_t i = 0; i < b->trace.count; i++) {
		const struct event *e = &b->trace.events[i];

		if (e->kind == EVENT_START && open.first[e->id] == i)
			add_item(b, ITEM_OPEN,
				 &b->trace.events[open.event[e->id]]);
	}
	b->span_count = b->item_count;
}

static void add_points(struct span_builder *b)
{
	for (uint32_t i = 0; i < b->trace.count; i++)
		if (b->trace.events[i].kind == EVENT_POINT)
			add_item(b, ITEM_POINT, &b->trace.events[i])
				->item.span_id = value_none();
	for (uint32_t i = 0; i < b->trace.count; i++)
		if (b->trace.events[i].kind == EVENT_END &&
		    !b->trace.events[i].closes)
			add_item(b, ITEM_ORPHAN, &b->trace.events[i]);
}

/* Convert the events to items. */
static int pair_events(struct span_builder *b, struct err *err)
{
	uint32_t ids = b->trace.ids.count;
	struct open_starts open = {
		.event = arena_alloc(b->arena, ids * sizeof(*open.event)),
		.first = arena_alloc(b->arena, ids * sizeof(*open.first))};

	/* A closed span takes two events and may add two virtual lanes. */
	b->items = arena_alloc(b->arena, ((size_t)b->trace.count * 3 / 2 + 2) *
						 sizeof(*b->items));
	b->span_of = arena_alloc(b->arena, ids * sizeof(*b->span_of));
	if (open.event == NULL || open.first == NULL || b->items == NULL ||
	    b->span_of == NULL)
		return arena_error(b->arena, err);
	for (uint32_t i = 0; i < ids; i++) {
		open.event[i] = -1;
		open.first[i] = -1;
		b->span_of[i] = -1;
	}
	add_closed_spans(b, open);
	add_open_spans(b, open);
	add_points(b);
	for (uint32_t i = 0; i < b->span_count; i++)
		b->span_of[b->items[i].id] = (int32_t)i;
	return 0;
}

/* Lanes --------------------------------------------------------------- */

static void set_lanes(struct span_builder *b)
{
	for (uint32_t i = 0; i < b->item_count; i++) {
		struct raw_item *raw = &b->items[i];
		bool known = raw->parent != SPAN_ID_NONE &&
			     b->span_of[raw->parent] >= 0;
		int64_t depth = 0;

		if (i < b->span_count)
			depth = b->depth_of[raw->id];
		else if (known)
			depth = b->depth_of[raw->parent] + 1;
		raw->item.depth = (uint32_t)depth;
		raw->item.lane = raw->item.depth;
	}
}

/* A role's attributes that say it took time, with room for those of its lane;
 * none if there are none, VALUE_ABSENT if out of memory. */
static struct value role_attrs(struct span_builder *b, const struct item *item,
			       const struct pd_role *role)
{
	struct value made = value_none();

	for (size_t s = 0; s < PD_SEGMENTS && made.kind != VALUE_ABSENT; s++) {
		const char *key = role->keys[s];
		struct value v = value_get(item->end_attrs, key);
		struct value pair[2] = {value_str(str_of(key)), v};
		bool positive = (v.kind == VALUE_INT && v.i > 0) ||
				(v.kind == VALUE_FLOAT && v.f > 0) ||
				(v.kind == VALUE_BOOL && v.b) ||
				(v.kind == VALUE_BIGINT && v.p[0] != '-');

		if (positive && made.kind == VALUE_NONE)
			made = value_new(b->arena, VALUE_DICT, 16);
		if (positive && made.kind == VALUE_DICT &&
		    !value_push_all(b->arena, made, pair, 2))
			made.kind = VALUE_ABSENT;
	}
	return made;
}

/* VALUE_ABSENT if out of memory. */
static struct value joined(struct span_builder *b, struct value v,
			   const char *suffix)
{
	struct value text = sample_trace_shown_text(&b->trace, v);
	size_t n = strlen(suffix);
	char *p = arena_alloc(b->arena, text.n + n);

	if (p == NULL)
		return (struct value){.kind = VALUE_ABSENT};
	if (text.n > 0)
		memcpy(p, text.p, text.n);
	memcpy(p + text.n, suffix, n);
	return value_str(str_make(p, text.n + n));
}

static struct value role_id(struct span_builder *b, struct value id,
			    const struct pd_role *role)
{
	struct value stem = joined(b, id, ":pd:");

	return stem.kind == VALUE_STR ? joined(b, stem, role->name) : stem;
}

static bool add_virtual(struct span_builder *b, const struct raw_item *of,
			const struct pd_role *role, struct value attrs,
			uint32_t lane)
{
	double duration = num_round6(fmax(0, of->item.end - of->item.start));
	struct value pairs[6] = {
		value_str(str_of("timeline_pd_virtual_role")),
		value_str(str_of(role->name)),
		value_str(str_of("timeline_pd_parent_name")),
		of->item.name,
		value_str(str_of("timeline_pd_parent_duration")),
		value_float(duration)};
	struct raw_item *raw = &b->items[b->item_count++];

	*raw = *of;
	raw->parent = (int32_t)(of - b->items);
	raw->item.role = role->role;
	raw->item.name = joined(b, of->item.name, role->suffix);
	raw->item.span_id = role_id(b, of->item.span_id, role);
	raw->item.parent_id = of->item.span_id;
	raw->item.lane = lane;
	raw->item.depth = lane;
	raw->item.start_attrs = b->trace.no_attrs;
	raw->item.end_attrs = attrs;
	return raw->item.name.kind == VALUE_STR &&
	       raw->item.span_id.kind == VALUE_STR &&
	       value_push_all(b->arena, attrs, pairs, 6);
}

static int add_virtual_lanes(struct span_builder *b, struct err *err)
{
	uint32_t lane = 0;

	for (uint32_t i = 0; i < b->item_count; i++)
		if (b->items[i].item.lane >= lane)
			lane = b->items[i].item.lane + 1;
	for (uint32_t i = 0; i < b->closed_count; i++) {
		struct raw_item *raw = &b->items[i];

		if (is_pd_part(raw->item.name))
			continue;
		for (size_t r = 0; r < PD_ROLES; r++) {
			struct value attrs =
				role_attrs(b, &raw->item, &pd_roles[r]);

			if (attrs.kind == VALUE_NONE)
				continue;
			if (attrs.kind == VALUE_ABSENT ||
			    !add_virtual(b, raw, &pd_roles[r], attrs, lane++))
				return arena_error(b->arena, err);
		}
	}
	return 0;
}

/* Order ---------------------------------------------------------------- */

static int compare_doubles(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_names(struct value a, struct value b)
{
	if (a.kind != VALUE_STR || b.kind != VALUE_STR)
		return 0;
	return str_cmp(value_text(a), value_text(b));
}

/* By lane, start, display end, name; otherwise in the original order. */
static int by_place(const void *x, const void *y)
{
	const struct raw_item *a = *(const struct raw_item *const *)x;
	const struct raw_item *c = *(const struct raw_item *const *)y;
	int order;

	if (a->item.lane != c->item.lane)
		return a->item.lane < c->item.lane ? -1 : 1;
	order = compare_doubles(a->item.start, c->item.start);
	if (order == 0)
		order = compare_doubles(a->item.display_end,
					c->item.display_end);
	if (order == 0)
		order = compare_names(a->item.name, c->item.name);
	return order != 0 ? order : (a > c) - (a < c);
}

static void round_times(struct span_builder *b)
{
	for (uint32_t i = 0; i < b->item_count; i++) {
		struct item *item = &b->items[i].item;

		item->start = num_round6(item->start);
		item->end = num_round6(item->end);
		item->display_end = num_round6(item->display_end);
	}
}

/* The index of an item's parent, or -1. A lane belongs to the span it splits,
 * even if others have the same id. */
static int64_t parent_of(const struct span_builder *b,
			 const struct raw_item *raw)
{
	if (raw->item.role != ROLE_NONE)
		return raw->parent;
	return raw->parent == SPAN_ID_NONE ? -1 : b->span_of[raw->parent];
}

/* Bring each item to its place, by exchange: there may be millions. */
static void move_items(struct span_builder *b, uint32_t *place)
{
	for (uint32_t i = 0; i < b->item_count; i++)
		while (place[i] != i) {
			uint32_t to = place[i];
			struct raw_item raw = b->items[to];

			b->items[to] = b->items[i];
			b->items[i] = raw;
			place[i] = place[to];
			place[to] = to;
		}
}

/* The sorted items, each with the place of its parent, become those of the row,
 * in the same memory: an item is smaller than a raw one. */
static void store_items(struct span_builder *b)
{
	struct item *items = (void *)b->items;

	for (uint32_t i = 0; i < b->item_count; i++) {
		struct item item = b->items[i].item;
		int32_t parent = b->items[i].parent;

		item.parent = parent < 0 ? NULL : &items[parent];
		memmove(&items[i], &item, sizeof(item));
	}
	b->row->items = items;
	b->row->item_count = b->item_count;
	b->items = NULL;
}

static bool are_sorted(const struct span_builder *b)
{
	for (uint32_t i = 1; i < b->item_count; i++) {
		const struct raw_item *before = &b->items[i - 1];
		const struct raw_item *item = &b->items[i];

		if (by_place(&before, &item) > 0)
			return false;
	}
	return true;
}

/* Give each item the place of its parent, and sort them. */
static int place_items(struct span_builder *b, struct err *err)
{
	uint32_t n = b->item_count;
	struct raw_item **sorted =
		arena_alloc(b->arena, n * sizeof(struct raw_item *));
	uint32_t *place = arena_alloc(b->arena, n * sizeof(*place));

	if (sorted == NULL || place == NULL)
		return arena_error(b->arena, err);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &b->items[i];
	qsort(sorted, n, sizeof(struct raw_item *), by_place);
	for (uint32_t i = 0; i < n; i++)
		place[sorted[i] - b->items] = i;
	for (uint32_t i = 0; i < n; i++) {
		int64_t parent = parent_of(b, &b->items[i]);

		b->items[i].parent = parent < 0 ? -1 : (int32_t)place[parent];
	}
	move_items(b, place);
	return 0;
}

/* Store the sorted items in the row and link each to its parent. Those of many
 * events are often in order. */
static int sort_items(struct span_builder *b, struct err *err)
{
	round_times(b);
	if (are_sorted(b))
		for (uint32_t i = 0; i < b->item_count; i++)
			b->items[i].parent =
				(int32_t)parent_of(b, &b->items[i]);
	else if (place_items(b, err) < 0)
		return err->code;
	store_items(b);
	return 0;
}

static int build(struct span_builder *b, const struct sample *sample,
		 struct err *err)
{
	b->last_ts = b->trace.events[0].ts;
	for (uint32_t i = 1; i < b->trace.count; i++)
		if (b->trace.events[i].ts > b->last_ts)
			b->last_ts = b->trace.events[i].ts;
	if (pair_events(b, err) < 0 || span_set_depths(b, err) < 0 ||
	    span_clip_open(b, err) < 0)
		return err->code;
	set_lanes(b);
	if (add_virtual_lanes(b, err) < 0 || sort_items(b, err) < 0 ||
	    span_fill_row(b, sample, err) < 0)
		return err->code;
	return 1;
}

int span_build_read(const struct sample *sample,
		    const struct sample_trace *trace, struct row *row,
		    struct err *err)
{
	struct span_builder b = {
		.trace = *trace, .arena = trace->arena, .row = row};
	int built = 0;

	memset(row, 0, sizeof(*row));
	if (b.trace.count > 0)
		built = build(&b, sample, err);
	row->skipped = b.trace.skipped;
	memcpy(row->what, b.trace.what, sizeof(row->what));
	return built;
}

/* May a page read the events again, for what stands apart from spans? */
static bool is_read_again(const struct sample *sample)
{
	struct value list = value_get(sample->trace, "events");

	if (sample->meta_info.kind == VALUE_DICT ||
	    value_truth(value_get(sample->trace, "names_parents")) ||
	    value_truth(value_get(sample->trace, "marks_requests")) ||
	    sample->records == NULL)
		return true;
	for (uint32_t i = 0; list.kind == VALUE_LIST && i < list.items->n; i++)
		if (is_generation(value_get(list.items->v[i], "name")))
			return true;
	return false;
}

int span_build(const struct sample *sample, struct arena *a, struct row *row,
	       struct err *err)
{
	struct arena list = arena_new(LIMIT_SAMPLE);
	struct sample_trace trace;
	int code;

	memset(row, 0, sizeof(*row));
	if (sample->trace.kind != VALUE_DICT)
		return 0;
	code = sample_trace_read_apart(&trace, sample, a, &list,
				       !is_read_again(sample), err);
	if (code == 0)
		code = span_build_read(sample, &trace, row, err);
	arena_free(&list);
	return code;
}
