/*
 * A decoded value as JSON text in memory: to keep it after the value is gone,
 * and as a key, by which equal values are equal.
 */
#ifndef OBS_FMT_JSON_JSON_TEXT_H
#define OBS_FMT_JSON_JSON_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "fmt/value/value.h"

/* Append json_put_value's output for v; a missing value is null. Returns 0 or
 * why b failed, like buf_error. */
int json_text(struct buf *b, struct value v, struct err *err);

#endif
