/*
 * Members of a Chrome trace event, as fmt/file/chrome_read.h returns them: raw
 * JSON, strings with their quotes; p is NULL if absent.
 */
#ifndef OBS_FMT_FILE_CHROME_MEMBER_H
#define OBS_FMT_FILE_CHROME_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* The raw text between a string's quotes, still escaped; anything else is
 * returned unchanged. */
struct str chrome_unquote(struct str member);

/* A decimal number of µs, or a string holding one, as ns. Computed from the
 * digits (a double would round), halves away from zero. False for anything
 * else, or from 2.5e15 µs on. */
bool chrome_parse_time(struct str member, int64_t *ns);

/* A base time in ns: an integer, a double, or a string holding one, below
 * 2.5e18. */
bool chrome_parse_base(struct str member, int64_t *ns);

/* A member of an object such as args. */
struct str chrome_find(struct str object, const char *name);

#endif
