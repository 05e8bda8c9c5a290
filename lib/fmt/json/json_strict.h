/*
 * JSON objects in memory that are strict RFC 8259, the usual case, in one quick
 * pass. Anything else is left to fmt/json/json_lenient.h.
 */
#ifndef OBS_FMT_JSON_JSON_STRICT_H
#define OBS_FMT_JSON_JSON_STRICT_H

#include <stddef.h>

#include "base/str.h"

/* Members to find in the object that is the member names[of]. */
struct json_inner {
	const struct str *names;
	struct str *members;
	size_t count;
	size_t of;
};

/*
 * The end of the object at the start of text, and the members with these names,
 * as in fmt/json/json_lenient.h; inner may be NULL. NULL, with members
 * undefined, if the object is not strict JSON, does not end in the text, or is
 * nested deeper than 60 levels.
 */
const char *json_strict_scan(struct str text, const struct str *names,
			     struct str *members, size_t count,
			     const struct json_inner *inner);

#endif
