/*
 * Python's bool(), float() and int() of a value, for slime's code that applies
 * them to trace values.
 */
#ifndef OBS_FMT_VALUE_VALUE_PYTHON_H
#define OBS_FMT_VALUE_VALUE_PYTHON_H

#include "base/arena.h"
#include "fmt/value/value.h"

/* False for a missing value, None, False, 0, "" and empty containers. */
bool value_truth(struct value v);

/* v, or the value of a single-element tensor. */
static inline struct value value_plain(struct value v)
{
	if (v.kind == VALUE_OBJECT && v.object->number.kind != VALUE_ABSENT)
		return v.object->number;
	return v;
}

/* v as a double if it is an int (of 64 bits), a float or a bool, or a tensor of
 * one. */
bool value_number(struct value v, double *f);

/* float(v): numbers, and text with blanks around and underscores between
 * digits. False if Python would raise. */
bool value_to_float(struct value v, double *f);

/*
 * int(v) as VALUE_INT or VALUE_BIGINT, floats truncated. False if Python would
 * raise, or if out of memory.
 */
bool value_to_int(struct arena *a, struct value v, struct value *i);

/* a + b, and the order of a and b, for VALUE_INT and VALUE_BIGINT. The sum's
 * kind is VALUE_ABSENT if out of memory. */
struct value value_int_add(struct arena *a, struct value x, struct value y);
int value_int_cmp(struct value x, struct value y);

#endif
