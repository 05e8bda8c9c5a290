#include "fmt/json/json_strict.h"

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/digits.h"
#include "base/utf8.h"
#include "fmt/json/json_plain.h"
#include "fmt/json/json_token.h"

enum { DEPTH_MAX = 60 };

/* Functions return where to continue, or NULL if the text is not strict JSON.
 * The text never ends after a token: an object continues until its brace. */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* For more than one blank: the indent of a line. */
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

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
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
	p = json_run_end(p + 1, end);
	while (p < end && *p != '"') {
		p = take_odd(p, end);
		if (p == NULL)
			return NULL;
		p = json_run_end(p, end);
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

	while (p < end && json_in_word(*p))
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
	return at < end && json_in_word(*at) ? take_word(p, end) : at;
}

/* Objects --------------------------------------------------------------- */

struct strict_members {
	const struct str *names;
	struct str *found;
	size_t count;
	size_t which;	   /* index in names of the current key; else none */
	const char *value; /* current */
};

/* Members usually come in the order of the names. */
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

static void forget_found(struct strict_members *m)
{
	m->which = SIZE_MAX;
	for (size_t i = 0; i < m->count; i++)
		m->found[i] = str_make(NULL, 0);
}

/* An object being scanned. */
struct strict_scan {
	const char *end;
	uint64_t arrays; /* one bit per open bracket, the innermost lowest */
	uint32_t depth;
	struct strict_members outer, inner;
	size_t of; /* the outer member with the inner ones */
};

/* The wanted members at the current depth; NULL. */
static inline struct strict_members *members_here(struct strict_scan *s)
{
	if (s->depth == 1)
		return &s->outer;
	return s->depth == 2 && s->outer.which == s->of ? &s->inner : NULL;
}

static void note_key(struct strict_scan *s, struct strict_members *m,
		     struct str key)
{
	find_name(m, key);
	if (m == &s->outer && m->which == s->of)
		forget_found(&s->inner);
}

/* The key at p and its colon. */
static inline const char *take_key(struct strict_scan *s, const char *p)
{
	struct strict_members *m = members_here(s);
	const char *start = p;

	if (p == s->end || *p != '"')
		return NULL;
	p = take_string(p, s->end);
	if (p == NULL)
		return NULL;
	if (m != NULL)
		note_key(s, m, str_make(start + 1, (size_t)(p - start) - 2));
	p = skip_blanks(p, s->end);
	return p < s->end && *p == ':' ? skip_blanks(p + 1, s->end) : NULL;
}

static inline void begin_value(struct strict_scan *s, const char *p)
{
	struct strict_members *m = members_here(s);

	if (m != NULL)
		m->value = p;
}

static inline void end_value(struct strict_scan *s, const char *p)
{
	struct strict_members *m = members_here(s);

	if (m != NULL && m->which < m->count)
		m->found[m->which] = str_make(m->value, (size_t)(p - m->value));
}

/* Close what ends at p, and what ends after it; up to the comma and the blanks
 * after that, or to the end of the object. */
static inline const char *close_brackets(struct strict_scan *s, const char *p)
{
	for (;;) {
		end_value(s, p);
		p = skip_blanks(p, s->end);
		if (p == s->end)
			return NULL;
		if (*p == ',')
			return skip_blanks(p + 1, s->end);
		if (*p != ((s->arrays & 1) != 0 ? ']' : '}'))
			return NULL;
		p++;
		s->arrays >>= 1;
		if (--s->depth == 0)
			return p;
	}
}

static inline const char *open_bracket(struct strict_scan *s, const char *p)
{
	if (s->depth == DEPTH_MAX)
		return NULL;
	s->depth++;
	s->arrays = s->arrays << 1 | (*p == '[');
	return skip_blanks(p + 1, s->end);
}

/* The object whose brace is at p: returns its end. */
static const char *scan_object(struct strict_scan *s, const char *p)
{
	bool opened = true;

	p = open_bracket(s, p);
	for (;;) {
		bool array = (s->arrays & 1) != 0;

		if (p == NULL || p == s->end)
			return NULL;
		if (opened && *p == (array ? ']' : '}')) {
			s->arrays >>= 1;
			p++;
			if (--s->depth == 0)
				return p;
		} else {
			if (!array)
				p = take_key(s, p);
			if (p == NULL || p == s->end)
				return NULL;
			begin_value(s, p);
			opened = *p == '{' || *p == '[';
			if (opened) {
				p = open_bracket(s, p);
				continue;
			}
			p = *p == '"' ? take_string(p, s->end)
				      : take_scalar(p, s->end);
			if (p == NULL)
				return NULL;
		}
		opened = false;
		p = close_brackets(s, p);
		if (p == NULL || s->depth == 0)
			return p;
	}
}

const char *json_strict_scan(struct str text, const struct str *names,
			     struct str *members, size_t count,
			     const struct json_inner *inner)
{
	struct strict_scan s = {
		.end = text.p + text.n,
		.outer = {.names = names, .found = members, .count = count},
		.of = SIZE_MAX - 1};

	if (inner != NULL) {
		s.inner.names = inner->names;
		s.inner.found = inner->members;
		s.inner.count = inner->count;
		s.of = inner->of;
	}
	forget_found(&s.outer);
	forget_found(&s.inner);
	return text.n > 0 && *text.p == '{' ? scan_object(&s, text.p) : NULL;
}
