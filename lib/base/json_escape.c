#include "base/json_escape.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Nonzero if a byte of word is not plain (Bit Twiddling Hacks, "haszero"). */
static uint64_t not_plain(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t quote = word ^ ones * '"';
	uint64_t backslash = word ^ ones * '\\';

	/* Adding 1 sets the top bit of DEL and of anything above. */
	return ((word - ones * 0x20) | (quote - ones) | (backslash - ones) |
		word | ((word & ~tops) + ones)) &
	       tops;
}

const char *json_plain_end(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		if (not_plain(word) != 0)
			break;
		p += 8;
	}
	while (p < end && json_is_plain((unsigned char)*p))
		p++;
	return p;
}

static char *put_hex4(char *at, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";

	*at++ = '\\';
	*at++ = 'u';
	for (int shift = 12; shift >= 0; shift -= 4)
		*at++ = digits[unit >> shift & 15];
	return at;
}

static char *put_point(char *at, uint32_t point)
{
	static const char shorts[] = "\b\f\n\r\t\"\\";
	const char *found =
		point < 0x80 && point != 0 ? strchr(shorts, (int)point) : NULL;

	if (found != NULL) {
		*at++ = '\\';
		*at++ = "bfnrt\"\\"[found - shorts];
		return at;
	}
	if (point == UTF8_BAD)
		return put_hex4(at, 0xfffd);
	if (point < 0x10000)
		return put_hex4(at, point);
	at = put_hex4(at, 0xd7c0 + (point >> 10));
	return put_hex4(at, 0xdc00 + (point & 0x3ff));
}

size_t json_escape_point(char out[JSON_ESCAPE_MAX], const char **p,
			 const char *end)
{
	uint32_t point;

	*p += utf8_next(*p, end, &point);
	return (size_t)(put_point(out, point) - out);
}
