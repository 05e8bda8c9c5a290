#include "fmt/json_write.h"

#include <math.h>

#include "base/num.h"
#include "base/utf8.h"

enum {
	ESCAPED_MAX = 12, /* \ud83d\ude00 */
	CHUNK = 128	  /* code points escaped between two looks at out */
};

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Not 0 when a byte of word is not plain (Bit Twiddling Hacks, "haszero"). */
static uint64_t not_plain(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t quote = word ^ ones * '"';
	uint64_t backslash = word ^ ones * '\\';

	/* Adding 1 gives DEL, and what is past it, its top bit. */
	return ((word - ones * 0x20) | (quote - ones) | (backslash - ones) |
		word | ((word & ~tops) + ones)) &
	       tops;
}

/* Where the run of plain bytes from p ends. */
static const char *plain_end(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		if (not_plain(word) != 0)
			break;
		p += 8;
	}
	while (p < end && is_plain((unsigned char)*p))
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

/* Escape from p up to a plain byte, the end, or the end of the room. */
static const char *put_chunk(struct out *out, const char *p, const char *end)
{
	char *start = out_room(out, CHUNK * ESCAPED_MAX);
	char *at = start;

	for (int i = 0; i < CHUNK && p < end; i++) {
		uint32_t point;

		if (is_plain((unsigned char)*p))
			break;
		p += utf8_next(p, end, &point);
		at = put_point(at, point);
	}
	out->n += (size_t)(at - start);
	return p;
}

void json_escape(struct out *out, struct str text)
{
	const char *p = text.n > 0 ? text.p : "";
	const char *end = p + text.n;

	while (p < end) {
		const char *stop = plain_end(p, end);

		out_put(out, p, (size_t)(stop - p));
		p = stop;
		if (p < end)
			p = put_chunk(out, p, end);
	}
}

void json_str(struct json_writer *w, struct str text)
{
	json_begin_value(w);
	out_putc(w->out, '"');
	json_escape(w->out, text);
	out_putc(w->out, '"');
}

void json_key_str(struct json_writer *w, struct str key)
{
	json_str(w, key);
	out_putc(w->out, ':');
	w->comma = false;
}

void json_int(struct json_writer *w, int64_t i)
{
	json_begin_value(w);
	w->out->n += num_put_int(out_room(w->out, NUM_INT_MAX), i);
}

void json_uint(struct json_writer *w, uint64_t u)
{
	json_begin_value(w);
	w->out->n += num_put_uint(out_room(w->out, NUM_INT_MAX), u);
}

void json_double(struct json_writer *w, double d)
{
	if (!isfinite(d)) {
		json_null(w);
		return;
	}
	json_begin_value(w);
	w->out->n += num_put_repr(out_room(w->out, NUM_DOUBLE_MAX), d);
}

void json_verbatim(struct json_writer *w, struct str text)
{
	json_begin_value(w);
	out_put(w->out, text.p, text.n);
}

void json_bool(struct json_writer *w, bool b)
{
	json_verbatim(w, str_of(b ? "true" : "false"));
}

void json_null(struct json_writer *w)
{
	json_verbatim(w, str_of("null"));
}

void json_end_line(struct json_writer *w)
{
	out_putc(w->out, '\n');
	w->comma = false;
}
