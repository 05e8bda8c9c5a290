#include "fmt/prom/prom_scan.h"

#include <endian.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdint.h>

#include "base/utf8.h"

enum { FOUND_MAX = 24 /* bytes of the offending text in a message */ };
enum { IN_ANY = NAME_FIRST | NAME | LABEL_FIRST | LABEL | TEXT };

const unsigned char scan_classes[256] = {
	['a' ... 'z'] = IN_ANY,
	['A' ... 'Z'] = IN_ANY,
	['0' ... '9'] = NAME | LABEL | TEXT,
	['_'] = IN_ANY,
	[':'] = NAME_FIRST | NAME | TEXT,
	[' '] = BLANK | TEXT,
	['\t'] = BLANK,
	['!'] = TEXT,
	['#' ... '/'] = TEXT,
	[';' ... '@'] = TEXT,
	['['] = TEXT,
	[']' ... '^'] = TEXT,
	['`'] = TEXT,
	['{' ... '~'] = TEXT,
};

int scan_error(const struct cursor *c, struct err *err, const char *wanted)
{
	size_t column = (size_t)(c->p - c->start) + 1;
	size_t n = (size_t)(c->end - c->p);
	const char *dots = n > FOUND_MAX ? "..." : "";

	if (n == 0)
		return err_at(err, ERR_INPUT, ERR_LINE, 0,
			      "column %zu: %s, found the end of the line",
			      column, wanted);
	n = n > FOUND_MAX ? FOUND_MAX : n;
	return err_at(err, ERR_INPUT, ERR_LINE, 0,
		      "column %zu: %s, found \"%.*s%s\"", column, wanted,
		      (int)n, c->p, dots);
}

/* The high bit of each byte of the word that is less than n, and maybe of some
 * behind the first that is. */
static uint64_t less(uint64_t word, uint64_t n)
{
	return (word - UINT64_MAX / 255 * n) & ~word;
}

/* The same for each byte that may not stand in TEXT. */
static uint64_t not_text(uint64_t word)
{
	const uint64_t ones = UINT64_MAX / 255;

	return (word | less(word, ' ') | less(word ^ ones * '"', 1) |
		less(word ^ ones * '\\', 1) | less(word ^ ones * 0x7f, 1)) &
	       ones * 0x80;
}

#ifdef __SSE2__
/* A bit for each of the 16 bytes at p that may not stand in TEXT: control
 * characters, bytes above ASCII (negative here), and three others. */
static unsigned int not_text_16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i bad = _mm_cmplt_epi8(v, _mm_set1_epi8(' '));

	bad = _mm_or_si128(bad, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
	bad = _mm_or_si128(bad, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
	bad = _mm_or_si128(bad, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
	return (unsigned int)_mm_movemask_epi8(bad);
}
#endif

const char *scan_text(const char *p, const char *end)
{
#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		unsigned int bad = not_text_16(p);

		if (bad != 0)
			return p + __builtin_ctz(bad);
	}
#endif
	for (; end - p >= 8; p += 8) {
		uint64_t word, bad;

		memcpy(&word, p, 8);
		bad = not_text(le64toh(word));
		if (bad != 0)
			return p + __builtin_ctzll(bad) / 8;
	}
	while (p < end && in_class(*p, TEXT))
		p++;
	return p;
}

struct str scan_word(struct cursor *c)
{
	const char *first = c->p;

	while (!at_word_end(c))
		c->p++;
	return str_make(first, (size_t)(c->p - first));
}

int scan_utf8(const struct cursor *c, struct str text, struct err *err)
{
	struct cursor bad = *c;
	uint32_t point;

	for (const char *p = text.p, *end = p + text.n; p < end;) {
		if ((unsigned char)*p < 0x80) { /* the usual case */
			p++;
			continue;
		}
		bad.p = p;
		p += utf8_next(p, end, &point);
		if (point == UTF8_BAD || (point >= 0xd800 && point < 0xe000))
			return scan_error(&bad, err, "expected UTF-8");
	}
	return 0;
}
