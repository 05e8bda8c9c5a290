/*
 * What Python's bool(), float() and int() make of a value, for the places
 * where slime's own code applies them to what a trace holds.
 */
#ifndef OBS_FMT_VALUE_VALUE_PYTHON_H
#define OBS_FMT_VALUE_VALUE_PYTHON_H

#include "base/arena.h"
#include "fmt/value/value.h"

/* False for a missing value, None, False, 0, "" and empty containers. */
bool value_truth(struct value v);

/* v without a tensor of one element around it. */
static inline struct value value_plain(struct value v)
{
	if (v.kind == VALUE_OBJECT && v.object->number.kind != VALUE_ABSENT)
		return v.object->number;
	return v;
}

/* v as a double when it is an int (of 64 bits), a float or a bool, or a tensor
 * of one. */
bool value_number(struct value v, double *f);

/* float(v): numbers, and text with blanks around and underscores between
 * digits. False where Python would raise. */
bool value_to_float(struct value v, double *f);

/*
 * int(v) as VALUE_INT or VALUE_BIGINT, floats cut to whole numbers. False
 * where Python would raise, and when memory ran out.
 */
bool value_to_int(struct arena *a, struct value v, struct value *i);

/* a + b and a's order to b, of VALUE_INT and VALUE_BIGINT. The sum's kind is
 * VALUE_ABSENT when memory ran out. */
struct value value_int_add(struct arena *a, struct value x, struct value y);
int value_int_cmp(struct value x, struct value y);

#endif
