/*
 * The size of a value's text, known before it is written.
 *
 * A pickle may refer to one object many times: a few KB may expand to a text of
 * any length. Writers check here first, so a value beyond a limit costs a walk
 * up to the limit and neither the memory nor the time to write it.
 */
#ifndef OBS_FMT_VALUE_VALUE_SIZE_H
#define OBS_FMT_VALUE_VALUE_SIZE_H

#include "base/err.h"
#include "base/limits.h"
#include "fmt/value/value.h"

/*
 * Add to *size about the bytes of v's text: its strings, plus the in-memory
 * size of each value, so that a value without shared objects is never larger
 * than it was when read. Returns NULL, or the exceeded limit:
 * LIMIT_DEPTH_WRITTEN, LIMIT_STRING by v alone, or LIMIT_SAMPLE by all of
 * *size. A container inside itself counts nothing there.
 */
const struct limit *value_size_add_slowly(uint64_t *size, struct value v);

static inline const struct limit *value_size_add(uint64_t *size, struct value v)
{
	if (v.kind >= VALUE_LIST || *size > LIMIT_SAMPLE / 2)
		return value_size_add_slowly(size, v);
	*size += sizeof(v);
	if (v.kind == VALUE_BIGINT || v.kind >= VALUE_STR)
		*size += v.n;
	return NULL;
}

#endif
