/*
 * JSON objects in memory that are RFC 8259 as they stand, the usual case, in
 * one quick pass. Whatever is odd is left to fmt/json/json_lenient.h.
 */
#ifndef OBS_FMT_JSON_JSON_STRICT_H
#define OBS_FMT_JSON_JSON_STRICT_H

#include <stddef.h>

#include "base/str.h"

/* Members to find in the object that the member names[of] is. */
struct json_inner {
	const struct str *names;
	struct str *members;
	size_t count;
	size_t of;
};

/*
 * The end of the object that text begins with, and where its members of these
 * names stand, as fmt/json/json_lenient.h has them; inner may be NULL. NULL,
 * with members undefined, when the object is not strict JSON, does not end in
 * the text, or is nested deeper than 60 levels.
 */
const char *json_strict_scan(struct str text, const struct str *names,
			     struct str *members, size_t count,
			     const struct json_inner *inner);

#endif
