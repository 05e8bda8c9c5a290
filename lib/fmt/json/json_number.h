/*
 * Numbers of few digits, the usual case, many digits at a time. They are complete
 * in memory; any other number is for json_token.h.
 */
#ifndef OBS_FMT_JSON_JSON_NUMBER_H
#define OBS_FMT_JSON_JSON_NUMBER_H

#include <stdbool.h>

#include "base/digits.h"
#include "base/num.h"
#include "fmt/value/value_make.h"

/* Can c be part of a number or a word? */
static inline bool json_in_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+';
}

enum { JSON_FEW_DIGITS = 18 }; /* they fit into 64 bits with a sign */

/* A number of one digit at p, with or without a sign, if a comma or a closing
 * bracket follows. Returns its end, or NULL. */
static inline const char *json_plain_digit(const char *p, const char *end,
					   struct value *v)
{
	bool negative = *p == '-';
	const char *digit = p + negative;

	if (end - digit < 2 || !is_digit(*digit) ||
	    (digit[1] != ',' && digit[1] != '}' && digit[1] != ']'))
		return NULL;
	*v = value_int(negative ? '0' - *digit : *digit - '0');
	return digit + 1;
}

/* The parts of a plain number. */
struct json_digits {
	const char *end; /* NULL: it is not plain */
	uint64_t digits; /* without the point */
	int decimals;
	bool is_float;
};

/* The number at p is plain if it has few digits and no exponent, and if
 * something else follows. */
static inline struct json_digits json_plain_digits(const char *p,
						   const char *end)
{
	const char *start = p + (*p == '-');
	struct json_digits got = {0};
	const char *point = digits_take(start, end, &got.digits);

	if (point == start || point - start > JSON_FEW_DIGITS ||
	    (*start == '0' && point - start > 1))
		return got;
	p = point;
	if (p != end && *p == '.')
		p = digits_take(point + 1, end, &got.digits);
	if (p == end || (*p != ',' && json_in_word(*p)))
		return got;
	got.is_float = p != point;
	if (got.is_float && (p == point + 1 || p - start > JSON_FEW_DIGITS + 1))
		return got;
	got.decimals = got.is_float ? (int)(p - point - 1) : 0;
	got.end = p;
	return got;
}

/* The plain number at p as a value. Returns its end, or NULL. */
static inline const char *json_plain_number(const char *p, const char *end,
					    struct value *v)
{
	const char *short_end = json_plain_digit(p, end, v);
	bool negative = *p == '-';
	struct json_digits got;
	double number;

	if (short_end != NULL)
		return short_end;
	got = json_plain_digits(p, end);
	if (got.end == NULL)
		return NULL;
	if (!got.is_float) {
		*v = value_int(negative ? -(int64_t)got.digits
					: (int64_t)got.digits);
		return got.end;
	}
	if (!num_of_decimal(got.digits, got.decimals, &number))
		return NULL;
	*v = value_float(negative ? -number : number);
	return got.end;
}

#endif
