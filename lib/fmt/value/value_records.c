#include "fmt/value/value_records.h"

struct value_record {
	struct value_record *next;
	struct value_items *items;
	struct value v[];
};

bool value_records_make(struct value_records *records,
			struct value_items *items, uint32_t n)
{
	struct value_record *record = arena_alloc(
		&records->arena, sizeof(*record) + n * sizeof(*record->v));

	if (record == NULL)
		return false;
	record->next = NULL;
	record->items = items;
	if (records->last != NULL)
		records->last->next = record;
	else
		records->first = record;
	records->last = record;
	items->v = record->v;
	items->cap = n;
	items->is_record = true;
	return true;
}

/* The dict of a record is empty from now on, unless it was added to. */
static void empty(const struct value_record *record)
{
	struct value_items *items = record->items;

	if (items->v != record->v)
		return;
	items->v = NULL;
	items->n = items->cap = 0;
	items->is_record = false;
}

void value_records_release(struct value_records *records)
{
	for (const struct value_record *r = records->first; r != NULL;
	     r = r->next)
		empty(r);
	records->first = records->last = NULL;
	arena_free(&records->arena);
}

void value_records_pass(struct value_records *records,
			const struct value_items *items)
{
	const struct value_record *record = records->first;

	if (record == NULL || record == records->last || record->items != items)
		return;
	empty(record);
	records->first = record->next;
	arena_drop_before(&records->arena, records->first);
}

void value_records_reset(struct value_records *records)
{
	records->first = records->last = NULL;
	arena_reset(&records->arena);
}
