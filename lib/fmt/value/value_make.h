/*
 * Constructors for decoded values: for readers, and for derived values.
 */
#ifndef OBS_FMT_VALUE_VALUE_MAKE_H
#define OBS_FMT_VALUE_VALUE_MAKE_H

#include "fmt/value/value.h"

static inline struct value value_str(struct str s)
{
	return (struct value){.kind = VALUE_STR, .n = (uint32_t)s.n, .p = s.p};
}

static inline struct value value_int(int64_t i)
{
	return (struct value){.kind = VALUE_INT, .i = i};
}

static inline struct value value_float(double f)
{
	return (struct value){.kind = VALUE_FLOAT, .f = f};
}

static inline struct value value_bool(bool b)
{
	return (struct value){.kind = VALUE_BOOL, .b = b};
}

static inline struct value value_none(void)
{
	return (struct value){.kind = VALUE_NONE};
}

/* A new container of the given kind with room for cap values. kind is
 * VALUE_ABSENT if out of memory. */
struct value value_new(struct arena *a, enum value_kind kind, uint32_t cap);

/* Add one value to a container; false if out of memory. */
bool value_push(struct arena *a, struct value container, struct value v);
bool value_push_all(struct arena *a, struct value container,
		    const struct value *v, uint32_t n);

#endif
