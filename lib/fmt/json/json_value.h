/*
 * Writes a complete decoded value as JSON.
 *
 * JSON types stay as they are; tuples become lists, and the rest (sets, bytes,
 * classes, objects, skipped values) a string, see value_text.h. NaN and
 * infinities become null. If two keys of a dict become the same text, the last
 * value is written at the first key's place.
 *
 * A writer that marks large integers writes those beyond 2^53, whose digits
 * JavaScript loses, as {"$int":"DIGITS"}.
 *
 * A value inside itself is replaced by the string "...", and text of values
 * other than JSON's is truncated after 1 MiB; the writer counts both. Shared
 * values may be huge once written, or too deep for readers: a value beyond a
 * limit (see value_size.h) becomes null, and the writer's `passed` says which.
 * The writer adds up sizes, including repeated references: the caller sets
 * w->size to 0 at the start of a sample, and checks `passed` at its end.
 */
#ifndef OBS_FMT_JSON_JSON_VALUE_H
#define OBS_FMT_JSON_JSON_VALUE_H

#include "fmt/json/json_write.h"
#include "fmt/value/value.h"

/* How to convert a key that is not a str. */
enum json_keys {
	JSON_KEYS_STR,	 /* str(key): None, True, 1.0, nan, (1, 2) */
	JSON_KEYS_NATIVE /* like json.dump: null, true, 1.0, NaN */
};

void json_put_value(struct json_writer *w, struct value v, enum json_keys keys);

/* A member whose key is constant text without escapes; JSON_KEYS_STR. */
static inline void json_add_value(struct json_writer *w, const char *key,
				  struct value v)
{
	json_key(w, key);
	json_put_value(w, v, JSON_KEYS_STR);
}

#endif
