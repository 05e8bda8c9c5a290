/*
 * UTF-8, one code point at a time (Unicode 15, table 3-7), with one addition:
 * a lone surrogate may be the three bytes ED A0..BF xx, as Python's
 * "surrogatepass" writes it, because JSON and pickles contain such text.
 */
#ifndef OBS_BASE_UTF8_H
#define OBS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_BAD = 0xffffffff, UTF8_MAX = 4 /* bytes per code point */ };

/*
 * Decode the code point at p, where p < end; returns its length. An invalid
 * sequence is UTF8_BAD, and the length is then that of the maximal subpart, so
 * each gives one replacement character.
 */
size_t utf8_next(const char *p, const char *end, uint32_t *point);

/* The first byte that is part of no code point, or of a surrogate; NULL if all
 * is strict UTF-8. */
const char *utf8_find_bad(const char *p, const char *end);

/* Write the code point, surrogates too, at out; returns its length. */
size_t utf8_put(char out[UTF8_MAX], uint32_t point);

/*
 * Is a code point safe to display? Not controls, which move a terminal,
 * invisible or bidirectional characters, surrogates, and bytes that are not
 * UTF-8, which may be controls to an 8-bit terminal.
 */
bool utf8_is_printable(uint32_t point);

enum { UTF8_ESCAPED_MAX = 4 * UTF8_MAX };

/* Write an unprintable one as \xNN bytes or \uNNNN; returns the length. */
size_t utf8_escape(char out[UTF8_ESCAPED_MAX], const char *p, size_t n,
		   uint32_t point);

#endif
