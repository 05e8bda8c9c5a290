#include "fmt/json/json_lenient.h"

#include <string.h>

#include "base/json_escape.h"
#include "base/utf8.h"
#include "fmt/json/json_token.h"

enum want { WANT_KEY, WANT_COLON, WANT_VALUE, WANT_COMMA };

enum { GO_ON = -1 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Strings and words ------------------------------------------------------- */

/* The length of the escape at a backslash; 1 if it is not valid. */
static size_t escape_length(const char *p, const char *end)
{
	size_t n = 2;

	if (end - p < 2 || strchr("\"\\/bfnrtu", p[1]) == NULL || p[1] == '\0')
		return 1;
	if (p[1] != 'u')
		return 2;
	while (n < 6 && p + n < end &&
	       strchr("0123456789abcdefABCDEF", p[n]) != NULL && p[n] != '\0')
		n++;
	return n == 6 ? n : 1;
}

/* A character of a string that must be escaped. */
static const char *pass_odd(struct json_lenient *s, const char *p)
{
	uint32_t point = 0;
	size_t n = 1;

	if (*p == '\\') {
		n = escape_length(p, s->end);
		s->strict &= n > 1;
	} else if ((unsigned char)*p >= 0x80) {
		n = utf8_next(p, s->end, &point);
		s->strict &= point != UTF8_BAD;
	} else {
		s->strict &= (unsigned char)*p >= 0x20;
	}
	return p + n;
}

/* Scan the string whose quote is next: false if it does not end. */
static bool take_string(struct json_lenient *s)
{
	const char *p = json_plain_end(s->p + 1, s->end);

	while (p < s->end && *p != '"')
		p = json_plain_end(pass_odd(s, p), s->end);
	s->p = p + 1;
	return p < s->end;
}

/* The number or word at p. */
static struct str word_at(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && json_in_word(*p))
		p++;
	return str_make(start, (size_t)(p - start));
}

/* Scanning ---------------------------------------------------------------- */

static bool in_array(const struct json_lenient *s)
{
	return (s->arrays[s->depth / 8] >> s->depth % 8 & 1) != 0;
}

static int expect(struct json_lenient *s, const char *expected)
{
	s->expected = expected;
	return JSON_LENIENT_BAD;
}

/* A value has ended. */
static int end_value(struct json_lenient *s)
{
	if (s->depth == 0)
		return JSON_LENIENT_DONE;
	if (s->depth == 1 && s->which < s->count)
		s->members[s->which] =
			str_make(s->value, (size_t)(s->p - s->value));
	s->want = WANT_COMMA;
	s->comma = false;
	return GO_ON;
}

static int open_bracket(struct json_lenient *s)
{
	bool array = *s->p == '[';
	uint8_t bit;

	if (s->depth == LIMIT_DEPTH)
		return expect(s, NULL);
	s->p++;
	s->depth++;
	bit = (uint8_t)(1 << s->depth % 8);
	s->arrays[s->depth / 8] &= (uint8_t)~bit;
	s->arrays[s->depth / 8] |= array ? bit : 0;
	s->want = array ? WANT_VALUE : WANT_KEY;
	s->comma = false;
	return GO_ON;
}

static int close_bracket(struct json_lenient *s)
{
	s->strict &= !s->comma;
	s->p++;
	s->depth--;
	return end_value(s);
}

static int take_comma(struct json_lenient *s)
{
	s->strict &= s->want == WANT_COMMA;
	s->p++;
	s->want = in_array(s) ? WANT_VALUE : WANT_KEY;
	s->comma = true;
	return GO_ON;
}

static int take_key(struct json_lenient *s)
{
	const char *start = s->p + 1;
	struct str key;

	if (*s->p != '"')
		return expect(s, "a key");
	if (!take_string(s))
		return JSON_LENIENT_SHORT;
	s->want = WANT_COLON;
	if (s->depth > 1)
		return GO_ON;
	key = str_make(start, (size_t)(s->p - start) - 1);
	s->which = 0;
	while (s->which < s->count && !str_eq(key, s->names[s->which]))
		s->which++;
	return GO_ON;
}

static int take_value(struct json_lenient *s)
{
	char c = *s->p;
	struct str word;

	if (s->depth == 1)
		s->value = s->p;
	if (c == '{' || c == '[')
		return open_bracket(s);
	if (c == '"')
		return take_string(s) ? end_value(s) : JSON_LENIENT_SHORT;
	word = word_at(s->p, s->end);
	if (word.n == 0)
		return expect(s, "a value");
	s->p += word.n;
	if (s->p == s->end)
		return JSON_LENIENT_SHORT;
	s->strict &= json_token_is_scalar(word);
	return end_value(s);
}

/* One token. A comma or a closing bracket may occur wherever an array's value,
 * a key, or what follows either may. */
static int step(struct json_lenient *s)
{
	bool array = in_array(s);
	bool open = s->depth > 0 && s->want != WANT_COLON &&
		    (s->want != WANT_VALUE || array);

	if (open && *s->p == ',')
		return take_comma(s);
	if (open && *s->p == (array ? ']' : '}'))
		return close_bracket(s);
	if (s->want == WANT_KEY)
		return take_key(s);
	if (s->want == WANT_VALUE)
		return take_value(s);
	if (s->want == WANT_COMMA)
		return expect(s, array ? "',' or ']'" : "',' or '}'");
	if (*s->p != ':')
		return expect(s, "':'");
	s->p++;
	s->want = WANT_VALUE;
	return GO_ON;
}

/* Find the members of a member, now that it is known. */
static void scan_inner(const struct json_inner *inner, struct str object)
{
	struct json_lenient scan = {.names = inner->names,
				    .members = inner->members,
				    .count = inner->count};

	if (object.n > 1 && object.p[0] == '{')
		json_lenient_scan(&scan, object);
	else
		for (size_t i = 0; i < inner->count; i++)
			inner->members[i] = str_make(NULL, 0);
}

enum json_lenient_result json_lenient_scan(struct json_lenient *s,
					   struct str text)
{
	int result = GO_ON;

	s->strict = true;
	s->p = json_strict_scan(text, s->names, s->members, s->count, s->inner);
	if (s->p != NULL)
		return JSON_LENIENT_DONE;
	s->p = text.p;
	s->end = text.p + text.n;
	s->depth = 0;
	s->which = s->count;
	s->want = WANT_VALUE;
	for (size_t i = 0; i < s->count; i++)
		s->members[i] = str_make(NULL, 0);
	if (text.n > 0 && *text.p != '{')
		return (enum json_lenient_result)expect(s, "'{'");
	while (result == GO_ON) {
		while (s->p < s->end && is_blank(*s->p))
			s->p++;
		result = s->p < s->end ? step(s) : JSON_LENIENT_SHORT;
	}
	if (result == JSON_LENIENT_DONE && s->inner != NULL)
		scan_inner(s->inner, s->members[s->inner->of]);
	return (enum json_lenient_result)result;
}

/* Cleaning ---------------------------------------------------------------- */

/* Copy the character of a string at p, replacing it if needed: returns what
 * follows. */
static const char *clean_odd(const char *p, const char *end, struct buf *clean)
{
	char room[JSON_ESCAPE_MAX];
	const char *start = p;
	size_t n = *p == '\\' ? escape_length(p, end) : 0;

	if (n > 1) {
		buf_put(clean, p, n);
		return p + n;
	}
	if (n == 1) {
		buf_puts(clean, "\\\\");
		return p + 1;
	}
	n = json_escape_point(room, &p, end);
	if ((unsigned char)*start < 0x80 ||
	    str_is(str_make(room, n), "\\ufffd"))
		buf_put(clean, room, n);
	else
		buf_put(clean, start, (size_t)(p - start));
	return p;
}

/* Copy the string at p: returns what follows. */
static const char *clean_string(const char *p, const char *end,
				struct buf *clean)
{
	const char *run = p++;

	for (;;) {
		p = json_plain_end(p, end);
		buf_put(clean, run, (size_t)(p - run));
		if (p == end || *p == '"')
			break;
		p = run = clean_odd(p, end, clean);
	}
	buf_putc(clean, '"');
	return p + 1;
}

static const char *clean_word(const char *p, const char *end, struct buf *clean)
{
	struct str word = word_at(p, end);

	if (json_token_is_scalar(word))
		buf_put(clean, word.p, word.n);
	else
		buf_puts(clean, "null");
	return p + word.n;
}

void json_lenient_clean(struct str object, struct buf *clean)
{
	const char *p = object.p, *end = object.p + object.n;
	bool after = false; /* a value precedes it in its container */
	bool comma = false;

	while (p < end) {
		bool closes = *p == '}' || *p == ']';

		if (*p == ',' || is_blank(*p)) {
			comma |= *p++ == ',';
			continue;
		}
		if (comma && after && !closes)
			buf_putc(clean, ',');
		comma = false;
		after = *p != '{' && *p != '[' && *p != ':';
		if (*p == '"') {
			p = clean_string(p, end, clean);
		} else if (json_in_word(*p)) {
			p = clean_word(p, end, clean);
		} else {
			buf_putc(clean, *p++);
		}
	}
}
