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
 * A value that contains itself is cut there with the string "...", and the text
 * of what JSON has no form for after 1 MiB; the writer counts both. By sharing it may be huge when written out, or be too deep
 * for who reads it: one that passes a limit (see value_size.h) becomes null,
 * and the writer's `passed` tells which. Sizes are added up by the writer, so
 * that many references to one value are counted: the caller sets w->size to 0
 * where another sample begins, and looks at `passed` where it ends.
 */
#ifndef OBS_FMT_JSON_JSON_VALUE_H
#define OBS_FMT_JSON_JSON_VALUE_H

#include "fmt/json/json_write.h"
#include "fmt/value/value.h"

/* What a key that is no str becomes. */
enum json_keys {
	JSON_KEYS_STR,	 /* str(key): None, True, 1.0, nan, (1, 2) */
	JSON_KEYS_NATIVE /* as json.dump has it: null, true, 1.0, NaN */
};

void json_put_value(struct json_writer *w, struct value v, enum json_keys keys);

/* A member whose key is constant text that needs no escape; JSON_KEYS_STR. */
static inline void json_add_value(struct json_writer *w, const char *key,
				  struct value v)
{
	json_key(w, key);
	json_put_value(w, v, JSON_KEYS_STR);
}

#endif
