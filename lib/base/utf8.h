/*
 * UTF-8, one code point at a time (Unicode 15, table 3-7), with one addition:
 * a lone surrogate may stand as the three bytes ED A0..BF xx, as Python's
 * "surrogatepass" writes it, because JSON and pickles carry such text.
 */
#ifndef OBS_BASE_UTF8_H
#define OBS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_BAD = 0xffffffff, UTF8_MAX = 4 /* bytes of one code point */ };

/*
 * The code point at p, where p < end; the bytes it takes are returned. Bytes
 * that begin no code point are UTF8_BAD, and what is returned is then the
 * length of the maximal subpart, so that each gives one replacement
 * character.
 */
size_t utf8_next(const char *p, const char *end, uint32_t *point);

/* The first byte that belongs to no code point, or to a surrogate; NULL: all
 * is UTF-8 that everybody reads. */
const char *utf8_find_bad(const char *p, const char *end);

/* Write the code point, a surrogate too, at out; the bytes used. */
size_t utf8_put(char out[UTF8_MAX], uint32_t point);

/*
 * May a code point be shown to people as it is? Not controls, which move a
 * terminal, what is invisible or turns text around, surrogates, and bytes that
 * are not UTF-8, which may be controls to an 8-bit terminal.
 */
bool utf8_is_printable(uint32_t point);

enum { UTF8_ESCAPED_MAX = 4 * UTF8_MAX };

/* Write what is not printable as \xNN bytes or \uNNNN; the bytes used. */
size_t utf8_escape(char out[UTF8_ESCAPED_MAX], const char *p, size_t n,
		   uint32_t point);

#endif
