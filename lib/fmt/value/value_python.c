#include "fmt/value/value_python.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/value/value_make.h"

enum { NUMBER_TEXT_MAX = 512 }; /* longer text is never a float here */

bool value_truth(struct value v)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_ABSENT:
	case VALUE_NONE:
		return false;
	case VALUE_BOOL:
		return v.b;
	case VALUE_INT:
		return v.i != 0;
	case VALUE_FLOAT:
		return v.f != 0;
	case VALUE_STR:
	case VALUE_BYTES:
		return v.n > 0;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_DICT:
		return v.items->n > 0;
	case VALUE_OBJECT:
		return v.object->number.kind == VALUE_ABSENT ||
		       value_truth(v.object->number);
	default:
		return true;
	}
}

/* Copy without the underscores between digits. */
static bool drop_underscores(struct str s, char *to, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '_')
			to[(*n)++] = s.p[i];
		else if (i == 0 || i + 1 == s.n || !is_digit(s.p[i - 1]) ||
			 !is_digit(s.p[i + 1]))
			return false;
	}
	return true;
}

/* inf, infinity, nan, in any case and with a sign. */
static bool named_float(struct str s, double *f)
{
	bool negative = s.n > 0 && s.p[0] == '-';

	if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_skip(s, 1);
	if (str_is_nocase(s, "nan"))
		*f = (double)NAN;
	else if (str_is_nocase(s, "inf") || str_is_nocase(s, "infinity"))
		*f = negative ? -(double)INFINITY : (double)INFINITY;
	else
		return false;
	return true;
}

static bool text_to_float(struct str s, double *f)
{
	char plain[NUMBER_TEXT_MAX];
	size_t n;

	s = str_trim(s);
	if (s.n == 0 || s.n > sizeof(plain) || !drop_underscores(s, plain, &n))
		return false;
	s = str_make(plain, n);
	return num_parse_double(s, f) || named_float(s, f);
}

bool value_number(struct value v, double *f)
{
	switch (v.kind) {
	case VALUE_BOOL:
		*f = v.b;
		return true;
	case VALUE_INT:
		*f = (double)v.i;
		return true;
	case VALUE_FLOAT:
		*f = v.f;
		return true;
	case VALUE_OBJECT:
		return value_number(v.object->number, f);
	default:
		return false;
	}
}

bool value_to_float(struct value v, double *f)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_BIGINT:
		/* Python raises for an int beyond the largest double. */
		return num_parse_double(value_text(v), f) && !isinf(*f);
	case VALUE_STR:
	case VALUE_BYTES:
		return text_to_float(value_text(v), f);
	default:
		return value_number(v, f);
	}
}

/* Digits with a sign as the smallest kind that fits. */
static bool int_of_digits(struct arena *a, struct str digits, struct value *i)
{
	struct str kept;
	int64_t small;

	if (num_parse_int(digits, &small)) {
		*i = value_int(small);
		return true;
	}
	kept = arena_str(a, digits);
	*i = value_str(kept);
	i->kind = VALUE_BIGINT;
	return kept.p != NULL;
}

static bool text_to_int(struct arena *a, struct str s, struct value *i)
{
	char *plain;
	size_t n;

	s = str_trim(s);
	if (s.n == 0 || s.n > LIMIT_INT_BYTES)
		return false;
	plain = arena_alloc(a, s.n);
	if (plain == NULL || !drop_underscores(s, plain, &n))
		return false;
	s = str_make(plain, n);
	for (size_t at = s.p[0] == '-' || s.p[0] == '+'; at < s.n; at++)
		if (!is_digit(s.p[at]))
			return false;
	if (!is_digit(s.p[s.n - 1]))
		return false;
	if (s.p[0] == '+')
		s = str_skip(s, 1);
	return int_of_digits(a, s, i);
}

static bool float_to_int(struct arena *a, double f, struct value *i)
{
	char text[NUMBER_TEXT_MAX];
	int n;

	if (!isfinite(f))
		return false;
	if (fabs(f) < 9e18) {
		*i = value_int((int64_t)f);
		return true;
	}
	n = snprintf(text, sizeof(text), "%.0f", f);
	return int_of_digits(a, str_make(text, (size_t)n), i);
}

bool value_to_int(struct arena *a, struct value v, struct value *i)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_BOOL:
		*i = value_int(v.b);
		return true;
	case VALUE_INT:
	case VALUE_BIGINT:
		*i = v;
		return true;
	case VALUE_FLOAT:
		return float_to_int(a, v.f, i);
	case VALUE_STR:
	case VALUE_BYTES:
		return text_to_int(a, value_text(v), i);
	case VALUE_OBJECT: /* a single-element tensor */
		return value_to_int(a, v.object->number, i);
	default:
		return false;
	}
}

/* Long integers ------------------------------------------------------ */

/* The digits of an integer, without sign and leading zeros. */
struct magnitude {
	struct str digits;
	bool negative;
};

static struct magnitude magnitude_of(struct value v, char small[NUM_INT_MAX])
{
	struct magnitude m;

	if (v.kind == VALUE_BIGINT)
		m.digits = value_text(v);
	else
		m.digits = str_make(small, num_put_int(small, v.i));
	m.negative = m.digits.n > 0 && m.digits.p[0] == '-';
	if (m.negative)
		m.digits = str_skip(m.digits, 1);
	while (m.digits.n > 1 && m.digits.p[0] == '0')
		m.digits = str_skip(m.digits, 1);
	return m;
}

static int magnitude_cmp(struct magnitude x, struct magnitude y)
{
	if (x.digits.n != y.digits.n)
		return x.digits.n < y.digits.n ? -1 : 1;
	return str_cmp(x.digits, y.digits);
}

int value_int_cmp(struct value x, struct value y)
{
	char small_x[NUM_INT_MAX], small_y[NUM_INT_MAX];
	struct magnitude mx = magnitude_of(x, small_x);
	struct magnitude my = magnitude_of(y, small_y);

	if (mx.negative != my.negative)
		return mx.negative ? -1 : 1;
	return mx.negative ? magnitude_cmp(my, mx) : magnitude_cmp(mx, my);
}

/* The digit at `place` from the right, 0 beyond the left end. */
static int digit_at(struct str digits, size_t place)
{
	return place < digits.n ? digits.p[digits.n - 1 - place] - '0' : 0;
}

/* larger + sign * smaller, digit by digit; text has room for one more. */
static void add_digits(char *text, size_t n, struct str larger,
		       struct str smaller, int sign)
{
	int carry = 0;

	for (size_t place = 0; place < n; place++) {
		int sum = digit_at(larger, place) +
			  sign * digit_at(smaller, place) + carry;

		carry = sum < 0 ? -1 : sum / 10;
		text[n - 1 - place] = (char)('0' + (sum - carry * 10));
	}
}

struct value value_int_add(struct arena *a, struct value x, struct value y)
{
	char small_x[NUM_INT_MAX], small_y[NUM_INT_MAX];
	struct magnitude mx, my, larger, smaller;
	struct value sum = {.kind = VALUE_ABSENT};
	int64_t small;
	char *text;
	size_t n;

	if (x.kind == VALUE_INT && y.kind == VALUE_INT &&
	    !__builtin_add_overflow(x.i, y.i, &small))
		return value_int(small);
	mx = magnitude_of(x, small_x);
	my = magnitude_of(y, small_y);
	larger = magnitude_cmp(mx, my) >= 0 ? mx : my;
	smaller = magnitude_cmp(mx, my) >= 0 ? my : mx;
	n = larger.digits.n + 1;
	text = arena_alloc(a, n + 1);
	if (text == NULL)
		return sum;
	text[0] = '-';
	add_digits(text + 1, n, larger.digits, smaller.digits,
		   larger.negative == smaller.negative ? 1 : -1);
	for (text++; n > 1 && text[0] == '0'; n--)
		text++;
	if (larger.negative) {
		*--text = '-';
		n++;
	}
	if (!int_of_digits(a, str_make(text, n), &sum))
		sum.kind = VALUE_ABSENT;
	return sum;
}
