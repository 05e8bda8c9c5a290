#include "rollout/foreign/miles_index.h"

#include <stdlib.h>

#include "base/array.h"

struct index_rows index_rows_new(void)
{
	return (struct index_rows){.last_row = INTERN_FAILED};
}

void index_rows_free(struct index_rows *rows)
{
	free(rows->indexes);
	free(rows->small);
	free(rows->of_key);
}

/* The index of an event's sample; -1: it has none. */
static struct value index_of(struct value v)
{
	struct value index = miles_whole(v);

	return index.kind == VALUE_INT || index.kind == VALUE_STR
		       ? index
		       : value_int(-1);
}

static uint32_t add_row(struct index_rows *rows, struct miles_rows *miles,
			struct value index, struct err *err)
{
	if (!ARRAY_GROW(rows->indexes, rows->n, rows->cap) ||
	    !foreign_keep(&miles->base, &miles->texts, index,
			  &rows->indexes[rows->n])) {
		err_memory(err);
		return INTERN_FAILED;
	}
	return rows->n++;
}

/* The row of any index, by its key. */
static uint32_t add_key(struct index_rows *rows, struct miles_rows *miles,
			struct value index, struct err *err)
{
	static const uint8_t members[] = {0};
	uint32_t known = miles->keys.count;
	uint32_t key =
		miles_number(miles, &miles->keys, &index, members, 1, err);

	if (key == INTERN_FAILED || key < known)
		return key == INTERN_FAILED ? key : rows->of_key[key];
	if (!ARRAY_GROW(rows->of_key, key, rows->key_cap)) {
		err_memory(err);
		return INTERN_FAILED;
	}
	rows->some_key |= index.kind == VALUE_INT && index.i >= 0;
	rows->of_key[key] = add_row(rows, miles, index, err);
	return rows->of_key[key];
}

/* The row of an index that has a place in the array. It may have a key already,
 * from when the array was shorter. */
static uint32_t add_small(struct index_rows *rows, struct miles_rows *miles,
			  struct value index, struct err *err)
{
	uint32_t row = rows->small[index.i] - 1;

	if (row != INTERN_FAILED)
		return row;
	row = rows->some_key ? add_key(rows, miles, index, err)
			     : add_row(rows, miles, index, err);
	if (row != INTERN_FAILED)
		rows->small[index.i] = row + 1;
	return row;
}

/* Make a place for the index in the array, unless that would be much longer than
 * there are rows. The array never shrinks. False: it has none. */
static bool make_place(struct index_rows *rows, struct value index)
{
	enum { TIMES = 4, LEAST = 1024 };

	if (index.kind != VALUE_INT || index.i < 0)
		return false;
	while ((uint64_t)index.i >= rows->small_cap)
		if ((uint64_t)index.i >= LEAST + (uint64_t)TIMES * rows->n ||
		    !array_widen_zeroed(&rows->small, &rows->small_cap,
					rows->small_cap, sizeof(*rows->small)))
			return false;
	return true;
}

uint32_t index_rows_add(struct index_rows *rows, struct miles_rows *miles,
			struct value v, struct err *err)
{
	struct value index = index_of(v);
	uint32_t row;

	if (index.kind == VALUE_INT && index.i == rows->last_index &&
	    rows->last_row != INTERN_FAILED)
		return rows->last_row;
	row = make_place(rows, index) ? add_small(rows, miles, index, err)
				      : add_key(rows, miles, index, err);
	if (row == INTERN_FAILED)
		return row;
	rows->last_row = index.kind == VALUE_INT ? row : INTERN_FAILED;
	rows->last_index = index.i;
	return row;
}
