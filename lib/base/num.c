#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/pow10.h"

__extension__ typedef unsigned __int128 u128;

enum { MANTISSA_BITS = 52, EXPONENT_MAX = 0x7ff };

/* Reading ------------------------------------------------------------- */

/* A decimal number taken apart: digits * 10^exponent. */
struct decimal {
	uint64_t digits; /* the first 19 significant ones */
	int64_t exponent;
	bool negative;
	bool cut; /* there were more than 19 significant digits */
};

static void take_digit(struct decimal *d, int *count, char c, bool fraction)
{
	if (*count < 19) {
		d->digits = d->digits * 10 + (uint64_t)(c - '0');
		*count += d->digits != 0;
		d->exponent -= fraction;
	} else {
		d->cut |= c != '0';
		d->exponent += !fraction;
	}
}

/* Parse the exponent at p if it is complete; returns its end. */
static const char *scan_exponent(const char *p, const char *end,
				 struct decimal *d)
{
	const char *q = p;
	int64_t e = 0;
	bool negative = false;

	if (q == end || (*q != 'e' && *q != 'E'))
		return p;
	q++;
	if (q != end && (*q == '-' || *q == '+'))
		negative = *q++ == '-';
	if (q == end || !is_digit(*q))
		return p;
	for (; q != end && is_digit(*q); q++)
		if (e < 1000000)
			e = e * 10 + (*q - '0');
	d->exponent += negative ? -e : e;
	return q;
}

static const char *scan_decimal(struct str s, struct decimal *d)
{
	const char *p = s.p;
	const char *end = s.p + s.n;
	const char *first;
	int count = 0;
	bool any;

	*d = (struct decimal){0};
	if (p != end && (*p == '-' || *p == '+'))
		d->negative = *p++ == '-';
	for (first = p; p != end && is_digit(*p); p++)
		take_digit(d, &count, *p, false);
	any = p != first;
	if (p != end && *p == '.') {
		for (first = ++p; p != end && is_digit(*p); p++)
			take_digit(d, &count, *p, true);
		any |= p != first;
	}
	return any ? scan_exponent(p, end, d) : NULL;
}

/* The 128 most significant bits of w * 10^q, w normalised. */
static struct pow10 scaled(uint64_t w, int q)
{
	struct pow10 g = pow10_table[q - POW10_LOW];
	u128 first, second;

	/* Between -27 and -1 the reciprocals are rounded up. */
	if (q < 0 && q >= -27)
		g.high += ++g.low == 0;
	first = (u128)w * g.high;
	if (((uint64_t)(first >> 64) & 0x1ff) == 0x1ff) {
		second = (u128)w * g.low;
		first += second >> 64;
	}
	return (struct pow10){(uint64_t)(first >> 64), (uint64_t)first};
}

static uint64_t subnormal_bits(uint64_t mantissa, int power)
{
	if (1 - power >= 64)
		return 0;
	mantissa >>= 1 - power;
	mantissa += mantissa & 1;
	return mantissa >> 1; /* a carry into the exponent is correct */
}

/*
 * The bits of the double nearest to w * 10^q, without sign. Returns false if
 * 128 bits do not decide (the caller then uses strtod).
 */
static bool nearest_bits(uint64_t w, int64_t q, uint64_t *bits)
{
	struct pow10 product;
	uint64_t mantissa;
	int zeros, top, power;

	*bits = 0;
	if (w == 0 || q < POW10_LOW)
		return true;
	*bits = (uint64_t)EXPONENT_MAX << MANTISSA_BITS;
	if (q > 308)
		return true;
	zeros = __builtin_clzll(w);
	product = scaled(w << zeros, (int)q);
	if (product.low == UINT64_MAX && (q < -27 || q > 55))
		return false;
	top = (int)(product.high >> 63);
	mantissa = product.high >> (top + 9);
	/* cppcheck-suppress shiftNegativeLHS ; arithmetic, gcc and clang say */
	power = (int)((217706 * q) >> 16) + 63 + top - zeros + 1023;
	if (power <= 0) {
		*bits = subnormal_bits(mantissa, power);
		return true;
	}
	/* Exactly halfway between two doubles: round to even. */
	if (product.low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 &&
	    mantissa << (top + 9) == product.high)
		mantissa &= ~(uint64_t)1;
	mantissa += mantissa & 1;
	mantissa >>= 1;
	if (mantissa >= (uint64_t)2 << MANTISSA_BITS) {
		mantissa = (uint64_t)1 << MANTISSA_BITS;
		power++;
	}
	if (power < EXPONENT_MAX)
		*bits = (mantissa & (((uint64_t)1 << MANTISSA_BITS) - 1)) |
			(uint64_t)power << MANTISSA_BITS;
	return true;
}

/* The rare case that 128 bits cannot decide; s is already validated. */
static double ask_strtod(struct str s)
{
	char small[128];
	char *text = s.n < sizeof(small) ? small : malloc(s.n + 1);
	double v;

	if (text == NULL)
		return (double)NAN;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	v = strtod(text, NULL);
	if (text != small)
		free(text);
	return v;
}

/* Powers of ten that are exact doubles: multiplying or dividing an exact double
 * by one rounds once. */
static const double exact[] = {1e0,  1e1,  1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,
			       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
			       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool num_of_decimal(uint64_t digits, int decimals, double *value)
{
	uint64_t bits;

	if (digits <= (uint64_t)1 << 53 && decimals <= 22) {
		*value = (double)digits / exact[decimals];
		return true;
	}
	if (!nearest_bits(digits, -(int64_t)decimals, &bits))
		return false;
	*value = num_of_bits(bits);
	return true;
}

static const char *scan_digits(const char *p, const char *end, uint64_t *digits)
{
	for (; p != end; p++) {
		unsigned int digit = (unsigned char)*p - (unsigned int)'0';

		if (digit > 9)
			break;
		*digits = *digits * 10 + digit;
	}
	return p;
}

/* A short number without exponent, as nearly all are: its length, 0 if it needs
 * scan_any. */
static size_t scan_few(struct str s, double *value)
{
	enum { FEW = 20 }; /* bytes, with the point; 64 bits hold 19 digits */
	bool negative = s.n > 0 && s.p[0] == '-';
	const char *first = s.p + negative;
	const char *end = s.p + (s.n < FEW ? s.n : FEW);
	uint64_t digits = 0;
	const char *point = scan_digits(first, end, &digits);
	const char *p = point;
	double v;

	if (p != end && *p == '.')
		p = scan_digits(p + 1, end, &digits);
	if (point == first || p - s.p == FEW || digits > (uint64_t)1 << 53 ||
	    (p != end && (*p | 0x20) == 'e'))
		return 0;
	v = (double)digits;
	if (p > point + 1)
		v /= exact[p - point - 1];
	*value = negative ? -v : v;
	return (size_t)(p - s.p);
}

/* Any number. Separate, so that scan_few does not pay for it. */
__attribute__((noinline)) static size_t scan_any(struct str s, double *value)
{
	struct decimal d;
	const char *end = scan_decimal(s, &d);
	uint64_t bits, above;
	double v;

	if (end == NULL)
		return 0;
	if (!d.cut && d.digits <= (uint64_t)1 << 53 && d.exponent >= -22 &&
	    d.exponent <= 22) {
		v = (double)d.digits;
		v = d.exponent < 0 ? v / exact[-d.exponent]
				   : v * exact[d.exponent];
		*value = d.negative ? -v : v;
	} else if (nearest_bits(d.digits, d.exponent, &bits) &&
		   (!d.cut || (nearest_bits(d.digits + 1, d.exponent, &above) &&
			       above == bits))) {
		v = num_of_bits(bits);
		*value = d.negative ? -v : v;
	} else {
		*value = ask_strtod(str_make(s.p, (size_t)(end - s.p)));
	}
	return (size_t)(end - s.p);
}

size_t num_scan_double(struct str s, double *value)
{
	size_t n = scan_few(s, value);

	return n > 0 ? n : scan_any(s, value);
}

bool num_parse_double(struct str s, double *value)
{
	return s.n > 0 && num_scan_double(s, value) == s.n;
}

/* Printing ------------------------------------------------------------ */

/* g * cp / 2^128, with the lowest bit set if the result is inexact. */
static uint64_t round_to_odd(struct pow10 g, uint64_t cp)
{
	u128 x = (u128)g.low * cp;
	u128 y = (u128)g.high * cp + (x >> 64);

	return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

/* Shortest digits and exponent of a finite v > 0; names as in the paper. */
static uint64_t shortest(double v, int *exponent)
{
	uint64_t bits, c, vb, vbl, vbr, s, sp;
	int q, k, h, biased;
	bool closer, odd, up, down;
	struct pow10 g;

	memcpy(&bits, &v, sizeof(bits));
	c = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
	biased = (int)(bits >> MANTISSA_BITS);
	closer = c == 0 && biased > 1;
	if (biased != 0)
		c |= (uint64_t)1 << MANTISSA_BITS;
	q = (biased == 0 ? 1 : biased) - 1075;
	*exponent = 0;
	if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0)
		return c >> -q;

	odd = c & 1;
	/* cppcheck-suppress shiftNegativeLHS ; arithmetic, gcc and clang say */
	k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
	h = q + ((-k * 1741647) >> 19) + 1;
	g = pow10_table[-k - POW10_LOW];
	if (-k < 0 || -k > 55) /* rounded up if inexact */
		g.high += ++g.low == 0;
	vbl = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
	vb = round_to_odd(g, (4 * c) << h);
	vbr = round_to_odd(g, (4 * c + 2) << h) - odd;

	s = vb / 4;
	if (s >= 10) {
		sp = s / 10;
		down = vbl <= 40 * sp;
		up = 40 * sp + 40 <= vbr;
		if (up != down) {
			*exponent = k + 1;
			return sp + up;
		}
	}
	*exponent = k;
	down = vbl <= 4 * s;
	up = 4 * s + 4 <= vbr;
	if (up != down)
		return s + up;
	return s + (vb > 4 * s + 2 || (vb == 4 * s + 2 && (s & 1)));
}

/* digits with the decimal point after the first `point` of them. */
static size_t put_plain(char *out, const char *digits, int n, int point)
{
	char *p = out;

	if (point <= 0) {
		*p++ = '0';
		*p++ = '.';
		for (; point < 0; point++)
			*p++ = '0';
		memcpy(p, digits, (size_t)n);
		return (size_t)(p - out) + (size_t)n;
	}
	memcpy(p, digits, (size_t)(point < n ? point : n));
	if (point >= n) {
		memset(p + n, '0', (size_t)(point - n));
		return (size_t)point;
	}
	p += point;
	*p++ = '.';
	memcpy(p, digits + point, (size_t)(n - point));
	return (size_t)n + 1;
}

/* d.ddde[+-]XX, at least two digits of exponent. */
static size_t put_scientific(char *out, const char *digits, int n, int e)
{
	char *p = out;

	*p++ = digits[0];
	if (n > 1) {
		*p++ = '.';
		memcpy(p, digits + 1, (size_t)n - 1);
		p += n - 1;
	}
	*p++ = 'e';
	*p++ = e < 0 ? '-' : '+';
	e = e < 0 ? -e : e;
	if (e < 10)
		*p++ = '0';
	return (size_t)(p - out) + num_put_uint(p, (uint64_t)e);
}

/*
 * v > 0 as thousandths, if it is a number of them and that has at most 15
 * digits: so few tell any two doubles apart, and are the shortest text. Most
 * numbers of a program are such ones.
 */
static bool few_decimals(double v, uint64_t *thousandths)
{
	if (!(v < 1e12))
		return false;
	*thousandths = (uint64_t)(v * 1000 + 0.5);
	return *thousandths > 0 && (double)*thousandths / 1000 == v;
}

static size_t put_thousandths(char *out, uint64_t v, bool *whole)
{
	size_t n = num_put_uint(out, v / 1000);
	unsigned int rest = (unsigned int)(v % 1000);

	*whole = rest == 0;
	if (rest == 0)
		return n;
	out[n] = '.';
	out[n + 1] = (char)('0' + rest / 100);
	out[n + 2] = (char)('0' + rest / 10 % 10);
	out[n + 3] = (char)('0' + rest % 10);
	n += 4;
	while (out[n - 1] == '0')
		n--;
	return n;
}

static size_t put_finite(char *out, double v, bool *whole)
{
	char digits[NUM_INT_MAX];
	int exponent, n, point;
	uint64_t d;

	*whole = true;
	if (v == 0) {
		out[0] = '0';
		return 1;
	}
	if (few_decimals(v, &d))
		return put_thousandths(out, d, whole);
	d = shortest(v, &exponent);
	for (; d % 10 == 0; d /= 10)
		exponent++;
	n = (int)num_put_uint(digits, d);
	point = n + exponent;
	*whole = point >= n && point <= 16;
	if (point > -4 && point <= 16)
		return put_plain(out, digits, n, point);
	return put_scientific(out, digits, n, point - 1);
}

static size_t put_double(char *out, double v, const char *whole_suffix)
{
	size_t n = 0;
	bool whole;

	if (isnan(v)) {
		memcpy(out, "NaN", 3);
		return 3;
	}
	if (isinf(v)) {
		memcpy(out, v > 0 ? "+Inf" : "-Inf", 4);
		return 4;
	}
	if (signbit(v))
		out[n++] = '-';
	n += put_finite(out + n, fabs(v), &whole);
	for (; whole && *whole_suffix != '\0'; whole_suffix++)
		out[n++] = *whole_suffix;
	return n;
}

size_t num_put_repr(char out[NUM_DOUBLE_MAX], double v)
{
	return put_double(out, v, ".0");
}

size_t num_put_short(char out[NUM_DOUBLE_MAX], double v)
{
	return put_double(out, v, "");
}

/* Rounding ------------------------------------------------------------ */

static double round6_by_text(double v)
{
	char text[400]; /* 309 digits, a sign, a point, 6 decimals */

	snprintf(text, sizeof(text), "%.6f", v);
	return strtod(text, NULL);
}

/* The integer nearest to v * 1e6, ties to even; |v * 1e6| < 2^52. */
static double nearest_millionth(double v)
{
	double scaled = v * 1e6;
	double whole = nearbyint(scaled);
	double away = copysign(1.0, scaled - whole);

	/* Halfway points between integers are doubles here: a product on one
	 * side of one rounds to that side, or to the point itself. In that case
	 * `whole` is even and the truncated part decides. */
	if (fabs(scaled - whole) == 0.5 && away * fma(v, 1e6, -scaled) > 0)
		return whole + away;
	return whole;
}

double num_round6(double v)
{
	if (!(fabs(v) < 4e9))
		return isfinite(v) ? round6_by_text(v) : v;
	/* Both are exact and division rounds correctly; -0 is kept. */
	return nearest_millionth(v) / 1e6;
}
