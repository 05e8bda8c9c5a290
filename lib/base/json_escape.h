/*
 * Text escaped for a JSON string (RFC 8259), pure ASCII: what Python's
 * json.dumps writes between the quotes.
 */
#ifndef OBS_BASE_JSON_ESCAPE_H
#define OBS_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_ESCAPE_MAX = 12 /* bytes per code point: \ud83d\ude00 */ };

/* Does the byte need no escape? */
static inline bool json_is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* The end of the run of plain bytes from p. */
const char *json_plain_end(const char *p, const char *end);

/* Escape the code point at *p, which is not a plain byte, and advance *p; bytes
 * that are not UTF-8 (base/utf8.h) become \ufffd. Returns the bytes written. */
size_t json_escape_point(char out[JSON_ESCAPE_MAX], const char **p,
			 const char *end);

#endif
