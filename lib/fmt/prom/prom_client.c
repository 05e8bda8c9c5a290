#include "fmt/prom/prom_client.h"

#include <string.h>

#include "base/num.h"

/* Digits before the point from which on positive numbers get an exponent. */
enum { WHOLE_DIGITS_MAX = 6 };

size_t prom_client_put(char out[PROM_NUMBER_MAX], double v)
{
	size_t n = num_put_repr(out, v);
	const char *point = memchr(out, '.', n);
	size_t whole = point == NULL ? 0 : (size_t)(point - out);

	if (!(v > 0) || whole <= WHOLE_DIGITS_MAX)
		return n;
	memmove(out + 2, out + 1, whole - 1);
	out[1] = '.';
	while (out[n - 1] == '0')
		n--;
	if (out[n - 1] == '.')
		n--;
	out[n++] = 'e';
	out[n++] = '+';
	whole--; /* the exponent: two digits replace at most repr's 16 */
	out[n++] = (char)('0' + whole / 10);
	out[n++] = (char)('0' + whole % 10);
	return n;
}
