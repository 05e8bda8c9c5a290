/*
 * Objects that share a line, and those behind a bad one: what a lost newline
 * or a kill within a write leaves.
 */
#ifndef OBS_FMT_JSON_JSON_LINE_H
#define OBS_FMT_JSON_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Is what follows an object nothing, or another one? */
bool json_ends_object(struct str rest);

/* Where the next object may begin, behind at, or the end of the line. work is
 * the bytes looked at for that so far, which have a limit: it must not take
 * the square of the line's length. */
size_t json_next_object(struct str line, size_t at, uint64_t work);

#endif
