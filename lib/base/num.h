/*
 * Numbers to and from text, without the locale and without loss.
 *
 * Reading is correctly rounded (Lemire, "Number Parsing at a Gigabyte per
 * Second", 2021); printing gives the fewest digits that read back to the same
 * double (Giulietti, "The Schubfach way to render doubles", 2020). No program
 * here calls setlocale, so the C library fallbacks use the C locale, too.
 */
#ifndef OBS_BASE_NUM_H
#define OBS_BASE_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

enum { NUM_DOUBLE_MAX = 32, NUM_INT_MAX = 21 }; /* buffer size for printing */

/*
 * Read an unsigned or signed decimal number, [-+]?digits[.digits][e[-+]digits]
 * with digits on at least one side of the point, from the start of s. Returns
 * the bytes used, 0 if there is no number. Overflow gives an infinity.
 */
size_t num_scan_double(struct str s, double *value);

/* All of s must be such a number. */
bool num_parse_double(struct str s, double *value);

/* The double nearest to digits / 10^decimals; digits have up to 19 digits.
 * False: ask num_parse_double. */
bool num_of_decimal(uint64_t digits, int decimals, double *value);

/* All of s must be [-+]?digits and fit. */
bool num_parse_int(struct str s, int64_t *value);

/*
 * Print v with the fewest digits; returns the length (no NUL is written).
 * num_put_repr writes what Python's repr does (1.0, 1e-05, 1e+16, -0.0);
 * num_put_short drops a trailing ".0" (1, -0). NaN and infinities are written
 * as NaN, +Inf and -Inf: callers with another format check for them first.
 */
size_t num_put_repr(char out[NUM_DOUBLE_MAX], double v);
size_t num_put_short(char out[NUM_DOUBLE_MAX], double v);
size_t num_put_int(char out[NUM_INT_MAX], int64_t v);
size_t num_put_uint(char out[NUM_INT_MAX], uint64_t v);

/* v rounded to 6 decimals like Python's round(v, 6): the double nearest to the
 * decimal nearest to v. */
double num_round6(double v);

/* a / b; NaN unless b is positive. */
static inline double num_ratio(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

/* The double with these bits. */
static inline double num_of_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

#endif
