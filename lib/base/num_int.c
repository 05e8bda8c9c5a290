/* Whole numbers as text. */
#include "base/digits.h"
#include "base/num.h"

enum { INT_DIGITS = 19 }; /* so many digits always fit into 64 bits */

bool num_parse_int(struct str s, int64_t *value)
{
	const char *p = s.p, *end;
	bool negative = s.n > 0 && *p == '-';
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	end = s.p + s.n;
	p += negative || *p == '+';
	while (end - p > INT_DIGITS && *p == '0')
		p++;
	if (p == end || end - p > INT_DIGITS ||
	    digits_take(p, end, &v) != end ||
	    v > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* The decimal digits of v. */
static size_t count_digits(uint64_t v)
{
	size_t n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

static size_t put_digits(char *out, uint64_t v)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	size_t n = count_digits(v), at = n;

	for (; v >= 100; v /= 100) {
		at -= 2;
		memcpy(out + at, pairs + v % 100 * 2, 2);
	}
	if (v >= 10)
		memcpy(out, pairs + v * 2, 2);
	else
		out[0] = (char)('0' + v);
	return n;
}

size_t num_put_uint(char out[NUM_INT_MAX], uint64_t v)
{
	return put_digits(out, v);
}

size_t num_put_int(char out[NUM_INT_MAX], int64_t v)
{
	if (v >= 0)
		return put_digits(out, (uint64_t)v);
	out[0] = '-';
	return put_digits(out + 1, -(uint64_t)v) + 1;
}
