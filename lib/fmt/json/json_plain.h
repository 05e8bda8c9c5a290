/*
 * Strings of ASCII characters that need no escape, and numbers of few digits:
 * the usual cases, many characters at a time. Both are complete in memory;
 * any other string or number is for json_token.h.
 */
#ifndef OBS_FMT_JSON_JSON_PLAIN_H
#define OBS_FMT_JSON_JSON_PLAIN_H

#include <stdbool.h>

#include "base/digits.h"
#include "base/num.h"
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

	if (stop == end || *stop != '"')
		return NULL;
	*v = value_str(str_make(p, (size_t)(stop - p)));
	return stop + 1;
}

/* Can c be part of a number or a word? */
static inline bool json_in_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+';
}

enum { JSON_FEW_DIGITS = 18 }; /* they fit into 64 bits with a sign */

/* The number at p, which something else follows, likewise: it has few digits
 * and no exponent. */
static inline const char *json_plain_number(const char *p, const char *end,
					    struct value *v)
{
	bool negative = *p == '-';
	const char *start = p + negative;
	uint64_t digits = 0;
	const char *point = digits_take(start, end, &digits);
	double number;

	if (point == start || point - start > JSON_FEW_DIGITS ||
	    (*start == '0' && point - start > 1))
		return NULL;
	p = point;
	if (p != end && *p == '.')
		p = digits_take(point + 1, end, &digits);
	if (p == end || (*p != ',' && json_in_word(*p)))
		return NULL;
	if (p == point) {
		*v = value_int(negative ? -(int64_t)digits : (int64_t)digits);
		return p;
	}
	if (p == point + 1 || p - start > JSON_FEW_DIGITS + 1 ||
	    !num_of_decimal(digits, (int)(p - point - 1), &number))
		return NULL;
	*v = value_float(negative ? -number : number);
	return p;
}

#endif
