/*
 * Strings of ASCII characters that need no escape, the usual case, many
 * characters at a time. They are complete in memory and LIMIT_STRING at most;
 * any other string is for json_token.h.
 */
#ifndef OBS_FMT_JSON_JSON_PLAIN_H
#define OBS_FMT_JSON_JSON_PLAIN_H

#include <stdbool.h>

#include "base/limits.h"
#include "fmt/value/value_make.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool json_in_run(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

#ifdef __SSE2__
/* A bit for each byte that ends a run. */
static inline unsigned json_run_ends(__m128i bytes)
{
	const __m128i quotes = _mm_set1_epi8('"'),
		      backslashes = _mm_set1_epi8('\\'),
		      blanks = _mm_set1_epi8(' ');

	/* Control characters and non-ASCII are less than a blank. */
	return (unsigned)_mm_movemask_epi8(
		_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quotes),
					  _mm_cmpeq_epi8(bytes, backslashes)),
			     _mm_cmplt_epi8(bytes, blanks)));
}
#endif

/* The end of the plain ASCII characters. */
static inline const char *json_run_end(const char *p, const char *end)
{
#ifdef __SSE2__
	unsigned ends;

	for (; end - p >= 16; p += 16) {
		ends = json_run_ends(_mm_loadu_si128((const __m128i *)p));
		if (ends != 0)
			return p + __builtin_ctz(ends);
	}
	if (end - p >= 8) {
		ends = json_run_ends(_mm_loadl_epi64((const __m128i *)p)) &
		       0xff;
		if (ends != 0)
			return p + __builtin_ctz(ends);
		p += 8;
	}
	if (end - p >= 4) {
		int four;

		memcpy(&four, p, 4);
		ends = json_run_ends(_mm_cvtsi32_si128(four)) & 0xf;
		if (ends != 0)
			return p + __builtin_ctz(ends);
		p += 4;
	}
#endif
	while (p < end && json_in_run((unsigned char)*p))
		p++;
	return p;
}

/* The string whose opening quote is at p; returns its end, or NULL: it is not
 * plain. */
static inline const char *json_plain_string(const char *p, const char *end,
					    struct value *v)
{
	const char *stop = json_run_end(++p, end);

	if (stop == end || *stop != '"' || (size_t)(stop - p) > LIMIT_STRING)
		return NULL;
	*v = value_str(str_make(p, (size_t)(stop - p)));
	return stop + 1;
}

#endif
