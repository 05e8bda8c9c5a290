#include "rollout/timed_row.h"

#include <stdlib.h>

#include "base/array.h"
#include "fmt/value/value_python.h"
#include "rollout/micros.h"
#include "rollout/span_attrs.h"

void timed_row_free(struct timed_row *timed)
{
	free(timed->spans);
	free(timed->calls);
	free(timed->children);
	free(timed->parents);
	*timed = (struct timed_row){0};
}

void timed_row_release(struct timed_row *timed)
{
	enum { LARGE = 32 * 1024 };

	if (timed->span_cap > LARGE)
		timed_row_free(timed);
}

int timed_row_room(struct timed_row *timed, size_t spans, size_t calls,
		   struct err *err)
{
	return ARRAY_GROW(timed->spans, spans, timed->span_cap) &&
			       ARRAY_GROW(timed->calls, calls, timed->call_cap)
		       ? 0
		       : err_memory(err);
}

static int room_for_items(struct timed_row *timed, size_t items,
			  struct err *err)
{
	return ARRAY_GROW(timed->children, items, timed->child_cap) &&
			       ARRAY_GROW(timed->parents, items,
					  timed->parent_cap)
		       ? 0
		       : err_memory(err);
}

/* Not on a virtual lane. */
static bool is_own_span(const struct item *item)
{
	return item->role == ROLE_NONE && item_is_span(item);
}

bool item_is_timed_span(const struct item *item)
{
	return is_own_span(item) && item_is_timed(item);
}

int64_t timed_span_duration(const struct timed_span *span)
{
	return span->end > span->start ? span->end - span->start : 0;
}

/* The times of the row, and which spans have children, and since when. */
static void look_over(struct timed_row *timed, const struct row *row)
{
	timed->start = INT64_MAX;
	timed->end = INT64_MIN;
	memset(timed->parents, 0, row->item_count);
	for (uint32_t i = 0; i < row->item_count; i++)
		timed->children[i] = INT64_MAX;
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];
		ptrdiff_t above =
			item->parent == NULL ? -1 : item->parent - row->items;
		int64_t start = micros(item->start);
		int64_t end = micros(item->display_end);

		if (is_own_span(item) && above >= 0)
			timed->parents[above] = 1;
		if (!item_is_timed(item))
			continue;
		timed->start = start < timed->start ? start : timed->start;
		timed->end = end > timed->end ? end : timed->end;
		if (is_own_span(item) && above >= 0 && item->parent != item &&
		    start < timed->children[above])
			timed->children[above] = start;
	}
}

static int64_t attempt_of(struct value attempt)
{
	if (attempt.kind == VALUE_INT)
		return attempt.i;
	if (attempt.kind != VALUE_BIGINT)
		return 0;
	return attempt.p[0] == '-' ? INT64_MIN : INT64_MAX;
}

static int take_span(struct timed_row *timed, const struct row *row, uint32_t i,
		     struct span_names *names, struct err *err)
{
	const struct item *item = &row->items[i];
	struct timed_span *span = &timed->spans[timed->count++];

	*span = (struct timed_span){
		.start = micros(item->start),
		.end = micros(item->display_end),
		.attempt = attempt_of(item->attempt),
		.name = span_names_add(names, item->name),
		.open = item->state == ITEM_OPEN,
		.is_request = item->is_request,
		.is_group = value_is_str(item->name, "generate_and_rm_group"),
	};
	if (span->name == INTERN_FAILED)
		return span_names_error(names, err);
	if (!timed->parents[i])
		span->queued = micros(item_queued(item));
	if (value_is_str(item->name, "generate_and_rm"))
		timed->calls[timed->call_count++] = (struct timed_call){
			.start = span->start,
			.child = timed->children[i],
			.attempt = span->attempt,
		};
	return 0;
}

int timed_row_read(struct timed_row *timed, const struct row *row,
		   struct span_names *names, struct err *err)
{
	timed->count = 0;
	timed->call_count = 0;
	if (room_for_items(timed, row->item_count, err) < 0 ||
	    timed_row_room(timed, row->item_count, row->item_count, err) < 0)
		return err->code;
	look_over(timed, row);
	if (timed->start > timed->end)
		return 0;
	for (uint32_t i = 0; i < row->item_count; i++)
		if (item_is_timed_span(&row->items[i]) &&
		    take_span(timed, row, i, names, err) < 0)
			return err->code;
	return 1;
}
