/*
 * A whole decoded value as JSON.
 *
 * What JSON has a form for keeps it; tuples become lists, and the rest (sets,
 * bytes, classes, objects, what was skipped) a string, see value_text.h. NaN
 * and infinities become null. Where two keys of a dict become the same text,
 * the last value stands at the place of the first key.
 *
 * A writer that marks large integers puts those past 2^53, whose digits
 * JavaScript loses, as {"$int":"DIGITS"}.
 *
 * A value may contain itself, or by sharing be huge when written out: a
 * container inside itself, one deeper than JSON_DEPTH_MAX and what comes
 * after JSON_VALUES_MAX values are cut with the string "...", which the writer
 * counts. These are counted by the writer, too, so that many references to one
 * value cost no more than it does: the caller sets w->values to 0 where
 * another sample begins.
 */
#ifndef OBS_FMT_JSON_VALUE_H
#define OBS_FMT_JSON_VALUE_H

#include "base/limits.h"
#include "fmt/json_write.h"
#include "fmt/value.h"

/* Python's json module reads what it finds up to about 990 levels deep; some
 * are left for what the caller has open around the value. */
enum { JSON_DEPTH_MAX = 900 };

/* More than the events of any sample have. */
#define JSON_VALUES_MAX LIMIT_EVENTS

/* What a key that is no str becomes. */
enum json_keys {
	JSON_KEYS_STR,	 /* str(key): None, True, 1.0, nan, (1, 2) */
	JSON_KEYS_NATIVE /* as json.dump has it: null, true, 1.0, NaN */
};

void json_put_value(struct json_writer *w, struct value v, enum json_keys keys);

#endif
