/*
 * JSON objects in memory as left by careless writers, and how to repair them.
 * Beyond RFC 8259 these are accepted, and json_lenient_clean replaces them:
 *	control characters in strings		an escape
 *	backslashes that escape nothing		two backslashes
 *	bytes that are not UTF-8		U+FFFD
 *	commas too many				nothing
 *	words such as NaN, inf, 0.-32, 007	null
 * Nothing is built: a member is a slice of the text.
 */
#ifndef OBS_FMT_JSON_JSON_LENIENT_H
#define OBS_FMT_JSON_JSON_LENIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "fmt/json/json_strict.h"

enum json_lenient_result {
	JSON_LENIENT_DONE,
	JSON_LENIENT_SHORT, /* the text ends inside the object */
	JSON_LENIENT_BAD,   /* it is not an object even leniently */
};

struct json_lenient {
	/* Set by the caller: the members to find. The last of duplicate keys
	 * counts; p is NULL if there is none. */
	const struct str *names;
	struct str *members;
	size_t count;
	const struct json_inner *inner; /* NULL: nothing inside them */

	/* Set by json_lenient_scan. */
	const char *p;	      /* past the object, or the error if BAD */
	const char *expected; /* if BAD: expected there; NULL: LIMIT_DEPTH */
	bool strict;	      /* it already is RFC 8259 */

	/* Private. */
	const char *end, *value;
	size_t which;
	int want;
	bool comma;
	uint32_t depth;
	uint8_t arrays[LIMIT_DEPTH / 8 + 1]; /* one bit per open bracket */
};

/* Find the end of the object at the start of text. */
enum json_lenient_result json_lenient_scan(struct json_lenient *s,
					   struct str text);

/* Append a scanned object as strict JSON, without blanks. */
void json_lenient_clean(struct str object, struct buf *clean);

#endif
