/*
 * JSON objects in memory as careless writers leave them, and what is to be
 * made of them. Beyond RFC 8259 these are taken, and json_lenient_clean makes
 * of them:
 *	control characters in strings		an escape
 *	backslashes that escape nothing		two backslashes
 *	bytes that are not UTF-8		U+FFFD
 *	commas too many				nothing
 *	words such as NaN, inf, 0.-32, 007	null
 * Nothing is built: a member is the slice of the text where it stands.
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
	JSON_LENIENT_BAD,   /* it is not an object even so */
};

struct json_lenient {
	/* Set by the caller: the members to find. Of equal keys the last one
	 * counts; p is NULL when there is none. */
	const struct str *names;
	struct str *members;
	size_t count;
	const struct json_inner *inner; /* NULL: nothing inside of them */

	/* Set by json_lenient_scan. */
	const char *p;	      /* past the object, or where it is BAD */
	const char *expected; /* when BAD: in its place; NULL: LIMIT_DEPTH */
	bool strict;	      /* it is RFC 8259 as it stands */

	/* Private. */
	const char *end, *value;
	size_t which;
	int want;
	bool comma;
	uint32_t depth;
	uint8_t arrays[LIMIT_DEPTH / 8 + 1]; /* a bit per open bracket */
};

/* Find the end of the object that text begins with. */
enum json_lenient_result json_lenient_scan(struct json_lenient *s,
					   struct str text);

/* Append an object that was scanned as strict JSON, without blanks. */
void json_lenient_clean(struct str object, struct buf *clean);

#endif
