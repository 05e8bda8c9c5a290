/*
 * A value as text, the way Python's str() and repr() print it: None, True,
 * 1.0, 1e-05, (1, 2), b'\x00'. Used for values that JSON cannot represent.
 *
 * Numbers, text, bytes and containers match Python, except that repr here
 * leaves all of Unicode above U+009F unescaped. Objects are a readable
 * stand-in: <module.name>. Values inside themselves, or nested deeper than
 * LIMIT_DEPTH_WRITTEN, print as "...".
 */
#ifndef OBS_FMT_VALUE_VALUE_TEXT_H
#define OBS_FMT_VALUE_VALUE_TEXT_H

#include "base/buf.h"
#include "fmt/value/value.h"

/*
 * Append to b. If the text does not fit, b->failed is set and the part that
 * fits is appended; but if b's ceiling is LIMIT_STRING nothing is, and a value
 * that is too deep is rejected likewise (see value_size.h).
 */
void value_put_str(struct buf *b, struct value v);

#endif
