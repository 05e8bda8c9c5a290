/*
 * A value as text, the way Python's str() and repr() print it: None, True,
 * 1.0, 1e-05, (1, 2), b'\x00'. What JSON has no form for is shown so.
 *
 * Numbers, text, bytes and the containers are Python's own letters, except
 * that repr here leaves all of Unicode above U+009F unescaped. Objects are a
 * readable stand-in: <module.name>. A value that contains itself is cut
 * there with "...", as is one nested deeper than LIMIT_DEPTH_WRITTEN.
 */
#ifndef OBS_FMT_VALUE_VALUE_TEXT_H
#define OBS_FMT_VALUE_VALUE_TEXT_H

#include "base/buf.h"
#include "fmt/value/value.h"

/*
 * Append to b. A text that does not fit sets b->failed and is appended as far
 * as it fits; but where b's ceiling is LIMIT_STRING nothing is, and a value too
 * deep is refused likewise (see value_size.h).
 */
void value_put_str(struct buf *b, struct value v);

/* The name of a class, a function or an object, between < and >. */
void value_put_name(struct buf *b, struct value v);

#endif
