/*
 * Members of a Chrome trace event, as fmt/file/chrome_read.h hands them out:
 * JSON as it stands, strings with their quotes; p is NULL when absent.
 */
#ifndef OBS_FMT_FILE_CHROME_MEMBER_H
#define OBS_FMT_FILE_CHROME_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* The text between the quotes of a string, escapes as they stand; anything
 * else is returned as it is. */
struct str chrome_unquote(struct str member);

/* A decimal number of µs, or a string that holds one, as ns, from its digits
 * (a double would round it), halves away from zero. False for anything else,
 * and when it is 2.5e15 µs or more. */
bool chrome_parse_time(struct str member, int64_t *ns);

/* A base time in ns: an integer, a double, or a string that holds one, below
 * 2.5e18. */
bool chrome_parse_base(struct str member, int64_t *ns);

/* A member of an object such as args. */
struct str chrome_find(struct str object, const char *name);

#endif
