/*
 * Objects that share a line, and those after a bad one: left by a lost newline
 * or a kill during a write.
 */
#ifndef OBS_FMT_JSON_JSON_LINE_H
#define OBS_FMT_JSON_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Is an object followed by nothing, or by another one? */
bool json_ends_object(struct str rest);

/* Where the next object may begin, after at, or the end of the line. work is
 * the bytes examined for that so far, which are limited to avoid quadratic
 * time. */
size_t json_next_object(struct str line, size_t at, uint64_t work);

#endif
