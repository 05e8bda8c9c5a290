#include "fmt/file/base64.h"

#include <stdint.h>

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encode n bytes, 1 to 3, as four digits at p. */
static void put_group(struct out *out, const unsigned char *p, size_t n)
{
	uint32_t bits = (uint32_t)p[0] << 16;
	char *room = out_room(out, 4);

	bits |= n > 1 ? (uint32_t)p[1] << 8 : 0;
	bits |= n > 2 ? p[2] : 0;
	room[0] = digits[bits >> 18];
	room[1] = digits[bits >> 12 & 63];
	room[2] = n > 1 ? digits[bits >> 6 & 63] : '=';
	room[3] = n > 2 ? digits[bits & 63] : '=';
	out->n += 4;
}

void base64_put(struct out *out, struct str bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	size_t whole = bytes.n / 3 * 3;

	for (size_t i = 0; i < whole; i += 3)
		put_group(out, p + i, 3);
	if (whole < bytes.n)
		put_group(out, p + whole, bytes.n - whole);
}
