/*
 * Characters of JSON strings that need no escape and are ASCII: the usual case,
 * many at a time.
 */
#ifndef OBS_FMT_JSON_JSON_PLAIN_H
#define OBS_FMT_JSON_JSON_PLAIN_H

#include <stdbool.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool json_in_run(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The end of the plain ASCII characters. */
static inline const char *json_run_end(const char *p, const char *end)
{
#ifdef __SSE2__
	/* Control characters and non-ASCII are less than a blank. */
	const __m128i quotes = _mm_set1_epi8('"'),
		      backslashes = _mm_set1_epi8('\\'),
		      blanks = _mm_set1_epi8(' ');

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		int ends = _mm_movemask_epi8(_mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(v, quotes),
				     _mm_cmpeq_epi8(v, backslashes)),
			_mm_cmplt_epi8(v, blanks)));

		if (ends != 0)
			return p + __builtin_ctz((unsigned)ends);
	}
#endif
	while (p < end && json_in_run((unsigned char)*p))
		p++;
	return p;
}

#endif
