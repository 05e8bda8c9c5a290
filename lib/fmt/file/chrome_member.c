#include "fmt/file/chrome_member.h"

#include <math.h>

#include "base/digits.h"
#include "base/num.h"
#include "fmt/json/json_lenient.h"

/* Times of this or more, in ns, are out of range. */
/* In 2049. A time plus a length and a base still fits. */
#define TIME_MAX INT64_C(2500000000000000000)

/* Digits that fit an uint64_t, and a decimal exponent. */
struct time_digits {
	uint64_t digits;
	int64_t exponent;
	bool negative;
};

struct str chrome_unquote(struct str s)
{
	if (s.n >= 2 && s.p[0] == '"')
		return str_make(s.p + 1, s.n - 2);
	return s;
}

static bool take_sign(const char **p, const char *end)
{
	bool negative = *p < end && **p == '-';

	*p += *p < end && (**p == '-' || **p == '+');
	return negative;
}

/* Digits with or without a point. Excess digits are dropped: the number is out
 * of range, or they are below any rounding. */
static bool take_digits(const char **p, const char *end, struct time_digits *d)
{
	const uint64_t full = UINT64_MAX / 10 - 1;
	bool any = false, fraction = false;

	for (; *p < end; ++*p) {
		if (**p == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (!is_digit(**p))
			break;
		any = true;
		d->exponent += (d->digits > full) - fraction;
		if (d->digits <= full)
			d->digits = d->digits * 10 + (uint64_t)(**p - '0');
	}
	return any;
}

static bool take_exponent(const char **p, const char *end,
			  struct time_digits *d)
{
	bool negative;
	int64_t exponent = 0;

	if (*p == end || (**p != 'e' && **p != 'E'))
		return true;
	++*p;
	negative = take_sign(p, end);
	if (*p == end || !is_digit(**p))
		return false;
	for (; *p < end && is_digit(**p); ++*p)
		if (exponent < 100000)
			exponent = exponent * 10 + (**p - '0');
	d->exponent += negative ? -exponent : exponent;
	return true;
}

static bool parse_decimal(struct str s, struct time_digits *d)
{
	const char *p = s.p, *end = s.p + s.n;

	*d = (struct time_digits){.negative = take_sign(&p, end)};
	return take_digits(&p, end, d) && take_exponent(&p, end, d) && p == end;
}

/* Digits, a point and three digits: Kineto's format for times. */
static bool parse_usual(struct str s, int64_t *ns)
{
	int64_t v = 0;

	if (s.n < 5 || s.n > 19 || s.p[s.n - 4] != '.')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (i == s.n - 4)
			continue;
		if (!is_digit(s.p[i]))
			return false;
		v = v * 10 + (s.p[i] - '0');
	}
	*ns = v;
	return v < TIME_MAX;
}

bool chrome_parse_time(struct str member, int64_t *ns)
{
	struct str s = str_trim(chrome_unquote(member));
	struct time_digits d;
	bool half = false;

	if (parse_usual(member, ns))
		return true;
	if (s.p == NULL || !parse_decimal(s, &d))
		return false;
	d.exponent += 3;
	for (; d.exponent > 0 && d.digits != 0; d.exponent--)
		if (d.digits >= TIME_MAX ||
		    __builtin_mul_overflow(d.digits, 10, &d.digits))
			return false;
	for (; d.exponent < 0 && d.digits != 0; d.exponent++) {
		half = d.digits % 10 >= 5;
		d.digits /= 10;
	}
	d.digits += half && d.exponent == 0;
	if (d.digits >= TIME_MAX)
		return false;
	*ns = d.negative ? -(int64_t)d.digits : (int64_t)d.digits;
	return true;
}

struct str chrome_find(struct str object, const char *name)
{
	struct str names[] = {str_of(name)}, found = {NULL, 0};
	struct json_lenient scan = {
		.names = names, .members = &found, .count = 1};

	if (object.p != NULL)
		json_lenient_scan(&scan, object);
	return found;
}

bool chrome_parse_base(struct str member, int64_t *ns)
{
	struct str s = str_trim(chrome_unquote(member));
	double v;

	if (num_parse_int(s, ns))
		return *ns > -TIME_MAX && *ns < TIME_MAX;
	if (!num_parse_double(s, &v) || !(fabs(v) < (double)TIME_MAX))
		return false;
	*ns = llround(v);
	return true;
}
