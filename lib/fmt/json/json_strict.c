#include "fmt/json/json_strict.h"

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/utf8.h"
#include "fmt/json/json_token.h"

enum { DEPTH_MAX = 60 };

/* Functions return where the reader goes on, or NULL for what is not strict.
 * The text never ends behind a token: an object goes on until its brace. */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Of more blanks than one: the indent of a line. */
static const char *skip_indent(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i spaces = _mm_set1_epi8(' ');

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		int others = _mm_movemask_epi8(_mm_cmpeq_epi8(v, spaces)) ^
			     0xffff;

		if (others == 0)
			continue;
		p += __builtin_ctz((unsigned)others);
		break;
	}
#endif
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static inline const char *skip_blanks(const char *p, const char *end)
{
	if (p == end || !is_blank(*p))
		return p;
	p++;
	return p == end || !is_blank(*p) ? p : skip_indent(p, end);
}

/* Strings --------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Where the ASCII characters end that stand for themselves. */
static const char *plain_end(const char *p, const char *end)
{
#ifdef __SSE2__
	/* Control characters and what is not ASCII are less than a blank. */
	const __m128i quotes = _mm_set1_epi8('"'),
		      backslashes = _mm_set1_epi8('\\'),
		      blanks = _mm_set1_epi8(' ');

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		int ends = _mm_movemask_epi8(_mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(v, quotes),
				     _mm_cmpeq_epi8(v, backslashes)),
			_mm_cmplt_epi8(v, blanks)));

		if (ends != 0)
			return p + __builtin_ctz((unsigned)ends);
	}
#endif
	while (p < end && is_plain((unsigned char)*p))
		p++;
	return p;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

static const char *take_escape(const char *p, const char *end)
{
	if (end - p < 6)
		return NULL;
	if (p[1] == 'u')
		return is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) &&
				       is_hex(p[5])
			       ? p + 6
			       : NULL;
	return p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) != NULL ? p + 2
								  : NULL;
}

static const char *take_odd(const char *p, const char *end)
{
	uint32_t point;

	if (*p == '\\')
		return take_escape(p, end);
	if ((unsigned char)*p < 0x80)
		return NULL;
	p += utf8_next(p, end, &point);
	return point == UTF8_BAD ? NULL : p;
}

/* The string whose quote is at p. */
static inline const char *take_string(const char *p, const char *end)
{
	p = plain_end(p + 1, end);
	while (p < end && *p != '"') {
		p = take_odd(p, end);
		if (p == NULL)
			return NULL;
		p = plain_end(p, end);
	}
	return p < end ? p + 1 : NULL;
}

/* Numbers and words ----------------------------------------------------- */

static const char *digits_end(const char *p, const char *end)
{
	while (p < end && (unsigned char)(*p - '0') < 10)
		p++;
	return p;
}

static const char *take_word(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && json_token_in_word(*p))
		p++;
	return json_token_is_scalar(str_make(start, (size_t)(p - start)))
		       ? p
		       : NULL;
}

static const char *take_scalar(const char *p, const char *end)
{
	const char *start = p + (*p == '-');
	const char *at = digits_end(start, end);
	const char *point = at;

	if (at == start || (*start == '0' && at - start > 1))
		return take_word(p, end);
	if (at < end && *at == '.') {
		at = digits_end(point + 1, end);
		if (at == point + 1)
			return NULL;
	}
	return at < end && json_token_in_word(*at) ? take_word(p, end) : at;
}

/* Objects --------------------------------------------------------------- */

struct strict_members {
	const struct str *names;
	struct str *found;
	size_t count;
	size_t which; /* of the names is the key at hand; count: none */
};

/* Members mostly come in the order of the names. */
static void find_name(struct strict_members *m, struct str key)
{
	size_t next = m->which + 1;

	if (next < m->count && str_eq(key, m->names[next])) {
		m->which = next;
		return;
	}
	for (m->which = 0; m->which < m->count; m->which++)
		if (str_eq(key, m->names[m->which]))
			return;
}

/* The key at p and its colon. */
static inline const char *take_key(struct strict_members *m, bool top,
				   const char *p, const char *end)
{
	const char *start = p;

	if (p == end || *p != '"')
		return NULL;
	p = take_string(p, end);
	if (p == NULL)
		return NULL;
	if (top)
		find_name(m, str_make(start + 1, (size_t)(p - start) - 2));
	p = skip_blanks(p, end);
	return p < end && *p == ':' ? skip_blanks(p + 1, end) : NULL;
}

static inline void note(struct strict_members *m, const char *value,
			const char *end)
{
	if (m->which < m->count)
		m->found[m->which] = str_make(value, (size_t)(end - value));
}

/* A container that is open. */
struct open_brackets {
	uint64_t arrays; /* a bit per level, the innermost lowest */
	uint32_t depth;
};

/* Close what ends at p, and what ends behind it; up to the comma and the
 * blanks behind that, or to the end of the object. */
static inline const char *close_brackets(struct open_brackets *b,
					 struct strict_members *m,
					 const char **value, const char *p,
					 const char *end)
{
	for (;;) {
		if (b->depth == 1)
			note(m, *value, p);
		p = skip_blanks(p, end);
		if (p == end)
			return NULL;
		if (*p == ',')
			return skip_blanks(p + 1, end);
		if (*p != ((b->arrays & 1) != 0 ? ']' : '}'))
			return NULL;
		p++;
		b->arrays >>= 1;
		if (--b->depth == 0)
			return p;
	}
}

static inline const char *open_bracket(struct open_brackets *b, const char *p,
				       const char *end)
{
	if (b->depth == DEPTH_MAX)
		return NULL;
	b->depth++;
	b->arrays = b->arrays << 1 | (*p == '[');
	return skip_blanks(p + 1, end);
}

const char *json_strict_scan(struct str text, const struct str *names,
			     struct str *found, size_t count)
{
	const char *p = text.p, *end = text.p + text.n, *value = text.p;
	struct strict_members m = {names, found, count, SIZE_MAX};
	struct open_brackets b = {0};
	bool opened = true;

	for (size_t i = 0; i < count; i++)
		found[i] = str_make(NULL, 0);
	if (text.n == 0 || *p != '{')
		return NULL;
	p = open_bracket(&b, p, end);
	for (;;) {
		bool array = (b.arrays & 1) != 0;

		if (p == NULL || p == end)
			return NULL;
		if (opened && *p == (array ? ']' : '}')) {
			b.arrays >>= 1;
			p++;
			if (--b.depth == 0)
				return p;
		} else {
			if (!array)
				p = take_key(&m, b.depth == 1, p, end);
			if (p == NULL || p == end)
				return NULL;
			if (b.depth == 1)
				value = p;
			opened = *p == '{' || *p == '[';
			if (opened) {
				p = open_bracket(&b, p, end);
				continue;
			}
			p = *p == '"' ? take_string(p, end)
				      : take_scalar(p, end);
			if (p == NULL)
				return NULL;
		}
		opened = false;
		p = close_brackets(&b, &m, &value, p, end);
		if (p == NULL || b.depth == 0)
			return p;
	}
}
