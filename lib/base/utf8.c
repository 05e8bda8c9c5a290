#include "base/utf8.h"

/* The length of a code point by its first byte, 0 if invalid, and the range of
 * its second byte; every later byte is 80..BF. */
struct lead {
	uint8_t length;
	uint8_t low;
	uint8_t high;
};

static struct lead lead_of(unsigned char c)
{
	if (c < 0xc2 || c > 0xf4)
		return (struct lead){(uint8_t)(c < 0x80), 0, 0};
	if (c < 0xe0)
		return (struct lead){2, 0x80, 0xbf};
	if (c < 0xf0)
		return (struct lead){3, c == 0xe0 ? 0xa0 : 0x80, 0xbf};
	return (struct lead){4, c == 0xf0 ? 0x90 : 0x80,
			     c == 0xf4 ? 0x8f : 0xbf};
}

size_t utf8_next(const char *p, const char *end, uint32_t *point)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t left = (size_t)(end - p);
	struct lead lead = lead_of(u[0]);
	uint32_t so_far = u[0] & (0xffu >> (lead.length + 1));

	*point = lead.length == 1 ? u[0] : UTF8_BAD;
	if (lead.length < 2)
		return 1;
	for (size_t i = 1; i < lead.length; i++) {
		if (i == left || u[i] < lead.low || u[i] > lead.high)
			return i;
		so_far = so_far << 6 | (u[i] & 0x3f);
		lead.low = 0x80;
		lead.high = 0xbf;
	}
	*point = so_far;
	return lead.length;
}

const char *utf8_find_bad(const char *p, const char *end)
{
	uint32_t point;
	size_t used;

	for (; p < end; p += used) {
		used = utf8_next(p, end, &point);
		if (point == UTF8_BAD || (point >= 0xd800 && point <= 0xdfff))
			return p;
	}
	return NULL;
}

size_t utf8_put(char out[UTF8_MAX], uint32_t point)
{
	static const uint8_t mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = point < 0x80	     ? 1
		   : point < 0x800   ? 2
		   : point < 0x10000 ? 3
				     : 4;

	for (size_t i = n; i > 1; i--) {
		out[i - 1] = (char)(0x80 | (point & 0x3f));
		point >>= 6;
	}
	out[0] = (char)(n == 1 ? point : mark[n] | point);
	return n;
}

bool utf8_is_printable(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x0000, 0x001f}, {0x007f, 0x009f},	{0x200b, 0x200f},
		{0x2028, 0x202e}, {0x2066, 0x2069},	{0xd800, 0xdfff},
		{0xfeff, 0xfeff}, {UTF8_BAD, UTF8_BAD},
	};

	for (size_t i = 0; hidden[i].first <= point; i++)
		if (point <= hidden[i].last)
			return false;
	return true;
}

size_t utf8_escape(char out[UTF8_ESCAPED_MAX], const char *p, size_t n,
		   uint32_t point)
{
	static const char hex[] = "0123456789abcdef";
	size_t used = 0;

	if (point != UTF8_BAD && point > 0xff) {
		out[used++] = '\\';
		out[used++] = 'u';
		for (int shift = 12; shift >= 0; shift -= 4)
			out[used++] = hex[point >> shift & 15];
		return used;
	}
	for (size_t i = 0; i < n; i++) {
		out[used++] = '\\';
		out[used++] = 'x';
		out[used++] = hex[(unsigned char)p[i] >> 4];
		out[used++] = hex[(unsigned char)p[i] & 15];
	}
	return used;
}
