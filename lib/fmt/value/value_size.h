/*
 * What a value takes once written out, known before it is.
 *
 * A pickle refers to one object many times: a few KB may stand for a text of
 * any length. Whoever writes a value asks here first, so that one that passes
 * a limit costs a walk that stops there, and neither the memory nor the time
 * of writing it.
 */
#ifndef OBS_FMT_VALUE_VALUE_SIZE_H
#define OBS_FMT_VALUE_VALUE_SIZE_H

#include "base/err.h"
#include "base/limits.h"
#include "fmt/value/value.h"

/*
 * Add to *size about the bytes that v takes written out: its texts, and as
 * much for each value as it takes in memory, so that what is referred to once
 * is never more than it was when read. Returns NULL, or which limit that
 * passes: LIMIT_DEPTH_WRITTEN, LIMIT_STRING by v alone, or LIMIT_SAMPLE by all
 * of *size. A container inside itself takes nothing there.
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
