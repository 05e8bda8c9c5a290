#include "fmt/value/value_records.h"

struct value_record {
	struct value_record *before;
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
	record->before = records->last;
	record->items = items;
	records->last = record;
	items->v = record->v;
	items->cap = n;
	items->is_record = true;
	return true;
}

void value_records_release(struct value_records *records)
{
	for (const struct value_record *r = records->last; r != NULL;
	     r = r->before) {
		if (r->items->v != r->v)
			continue;
		r->items->v = NULL;
		r->items->n = r->items->cap = 0;
		r->items->is_record = false;
	}
	records->last = NULL;
	arena_free(&records->arena);
}

void value_records_reset(struct value_records *records)
{
	records->last = NULL;
	arena_reset(&records->arena);
}
