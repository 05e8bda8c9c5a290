#include "fmt/json/json_token.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/num.h"
#include "base/utf8.h"

/* Bytes and blanks ------------------------------------------------------ */

int json_token_refill(struct json_tokens *t)
{
	struct str block;
	int rc;

	if (t->kept_from != NULL)
		buf_put(&t->kept, t->kept_from,
			(size_t)(t->end - t->kept_from));
	do {
		t->before += t->end - t->block;
		t->p = t->end = t->block = NULL;
		rc = t->source->next(t->source, &block, t->err);
		if (rc <= 0) {
			t->kept_from = t->kept_from != NULL ? "" : NULL;
			t->p = t->end = t->block = t->kept_from;
			return rc == 0 ? JSON_TOKEN_END : rc;
		}
		t->p = t->block = block.p;
		t->end = block.p + block.n;
	} while (block.n == 0);
	if (t->kept_from != NULL)
		t->kept_from = t->p;
	return 0;
}

int json_token_error(struct json_tokens *t, enum err_code code,
		     const char *format, ...)
{
	char text[sizeof(t->err->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (t->by_line)
		return err_at(t->err, code, ERR_LINE, t->line, "%s", text);
	return err_at(t->err, code, ERR_BYTE, json_token_offset(t), "%s", text);
}

int json_token_unexpected(struct json_tokens *t, int c, const char *what)
{
	if (c == JSON_TOKEN_END)
		return json_token_error(t, ERR_INPUT,
					"expected %s, but the input ends here",
					what);
	if (c < 0)
		return c;
	if (c == '\n')
		return json_token_error(t, ERR_INPUT,
					"expected %s, but the line ends here",
					what);
	if (c > ' ' && c < 0x7f)
		return json_token_error(t, ERR_INPUT, "expected %s, found '%c'",
					what, c);
	return json_token_error(t, ERR_INPUT, "expected %s, found byte 0x%02x",
				what, (unsigned)c);
}

int json_token_peek_slow(struct json_tokens *t, bool inside)
{
	bool crossed = false;

	for (;;) {
		int rc = t->p == t->end ? json_token_refill(t) : 0;

		if (rc != 0)
			return rc;
		if (*t->p == '\n') {
			if (inside && t->one_line)
				return json_token_error(
					t, ERR_INPUT,
					"the line ends inside a value");
			t->line++;
			crossed = true;
		} else if (*t->p != ' ' && *t->p != '\t' && *t->p != '\r') {
			break;
		}
		t->p++;
	}
	if (crossed)
		t->first = json_token_offset(t);
	return (unsigned char)*t->p;
}

/* Consume the next byte; JSON_TOKEN_END or an error. */
static int next_byte(struct json_tokens *t)
{
	int rc = t->p == t->end ? json_token_refill(t) : 0;

	return rc != 0 ? rc : (unsigned char)*t->p++;
}

int json_token_skip_bom(struct json_tokens *t)
{
	static const int bom[] = {0xef, 0xbb, 0xbf};

	for (int i = 0; i < 3; i++) {
		int c = next_byte(t);

		if (c != bom[i])
			return json_token_unexpected(t, c, "a byte order mark");
	}
	return 0;
}

/* An error about the byte c just consumed (it may be the newline that reading
 * continues after). */
static int error_back(struct json_tokens *t, int c, const char *text)
{
	if (c != JSON_TOKEN_END)
		t->p--;
	return json_token_error(t, ERR_INPUT, "%s", text);
}

/* Strings --------------------------------------------------------------- */

static bool ends_run(unsigned char c)
{
	return c == '"' || c == '\\' || c < 0x20;
}

/* Nonzero if word has a quote, a backslash or a control byte (Bit Twiddling
 * Hacks, "hasless" and "haszero"). */
static uint64_t run_ends_in(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t quote = word ^ ones * '"';
	uint64_t backslash = word ^ ones * '\\';

	return (((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) |
		((backslash - ones) & ~backslash)) &
	       tops;
}

/* The end of the bytes that need no escape. */
static const char *run_end(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		if (run_ends_in(word) != 0)
			break;
		p += 8;
	}
	while (p < end && !ends_run((unsigned char)*p))
		p++;
	return p;
}

static int hex4(struct json_tokens *t, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		int c = next_byte(t);
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (c < 0 && c != JSON_TOKEN_END)
			return c;
		if (digit < 0)
			return error_back(t, c, "\\u needs four hex digits");
		*unit = *unit << 4 | (uint32_t)digit;
	}
	return 0;
}

/* Append a unit; if it completes a surrogate pair, whose first half ends at
 * *high, it replaces that. */
static void put_unit(struct buf *b, uint32_t unit, size_t *high)
{
	char *room = buf_room(b, UTF8_MAX);
	uint32_t first;

	if (room == NULL)
		return;
	if (unit >= 0xdc00 && unit <= 0xdfff && *high == b->n && b->n >= 3) {
		room -= 3;
		b->n -= 3;
		utf8_next(room, room + 3, &first);
		unit = 0x10000 + ((first & 0x3ff) << 10) + (unit & 0x3ff);
	}
	b->n += utf8_put(room, unit);
	*high = unit >= 0xd800 && unit <= 0xdbff ? b->n : 0;
}

/* One escape, after its backslash. */
static int unescape(struct json_tokens *t, bool keep, size_t *high)
{
	static const char names[] = "\"\\/bfnrt";
	int c = next_byte(t);
	const char *found = c > 0 ? strchr(names, c) : NULL;
	uint32_t unit;
	int rc;

	if (c < 0 && c != JSON_TOKEN_END)
		return c;
	if (found != NULL) {
		if (keep)
			buf_putc(&t->text, "\"\\/\b\f\n\r\t"[found - names]);
		return 0;
	}
	if (c != 'u')
		return error_back(t, c, "a string holds an unknown escape");
	rc = hex4(t, &unit);
	if (rc == 0 && keep)
		put_unit(&t->text, unit, high);
	return rc;
}

static int check_utf8(struct json_tokens *t, struct str s)
{
	const char *p = s.n > 0 ? s.p : "";
	const char *end = p + s.n;

	while (p < end) {
		uint32_t point;
		uint64_t word;

		if (end - p >= 8) {
			memcpy(&word, p, 8);
			if ((word & 0x8080808080808080u) == 0) {
				p += 8;
				continue;
			}
		}
		p += utf8_next(p, end, &point);
		if (point == UTF8_BAD)
			return json_token_error(t, ERR_INPUT,
						"a string is not UTF-8");
	}
	return 0;
}

static int text_error(struct json_tokens *t)
{
	int code = buf_error(&t->text, t->err);
	struct err why = *t->err;

	return json_token_error(t, code, "%s", why.text);
}

/* A string, after its opening quote, that has escapes or spans blocks. */
static int gather_string(struct json_tokens *t, bool keep)
{
	size_t high = 0;
	int rc = 0;

	buf_clear(&t->text);
	while (rc == 0) {
		const char *stop = run_end(t->p, t->end);

		if (keep)
			buf_put(&t->text, t->p, (size_t)(stop - t->p));
		t->p = stop;
		if (t->text.failed)
			return text_error(t);
		if (t->p == t->end) {
			rc = json_token_refill(t);
		} else if (*t->p == '"') {
			t->p++;
			return 0;
		} else if (*t->p == '\\') {
			t->p++;
			rc = unescape(t, keep, &high);
		} else {
			return json_token_unexpected(t, (unsigned char)*t->p,
						     "the end of a string");
		}
	}
	return json_token_unexpected(t, rc, "the end of a string");
}

int json_token_too_long(struct json_tokens *t)
{
	struct err why;

	err_limit(&why, LIMIT_STRING, "LIMIT_STRING");
	return json_token_error(t, why.code, "%s", why.text);
}

int json_token_string(struct json_tokens *t, bool keep, struct str *s)
{
	const char *start = t->p + 1;
	const char *stop;
	struct value plain;
	int rc = 0;

	stop = json_plain_string(t->p, t->end, &plain);
	if (stop != NULL) {
		t->p = stop;
		if (keep)
			*s = value_text(plain);
		return 0;
	}
	t->p = start;
	stop = run_end(start, t->end);
	if (stop < t->end && *stop == '"') {
		t->p = stop + 1;
		if (keep)
			*s = str_make(start, (size_t)(stop - start));
	} else {
		rc = gather_string(t, keep);
		if (keep)
			*s = buf_str(&t->text);
	}
	if (rc == 0 && keep && s->n > LIMIT_STRING)
		return json_token_too_long(t);
	return rc == 0 && keep ? check_utf8(t, *s) : rc;
}

int json_token_key(struct json_tokens *t, struct str *key)
{
	int c = json_token_peek(t, true);

	return c == '"' ? json_token_string(t, true, key)
			: json_token_unexpected(t, c, "a key");
}

/* Numbers and words ------------------------------------------------------ */

static const char *digits_end(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* Consume the next number or word, across blocks if needed. */
static int take_word(struct json_tokens *t, struct str *word)
{
	const char *start = t->p;
	int rc = 0;

	while (t->p < t->end && json_in_word(*t->p))
		t->p++;
	*word = str_make(start, (size_t)(t->p - start));
	if (t->p < t->end)
		return 0;
	buf_clear(&t->text);
	buf_put(&t->text, word->p, word->n);
	while (rc == 0 && t->p == t->end) {
		rc = json_token_refill(t);
		start = t->p;
		while (t->p < t->end && json_in_word(*t->p))
			t->p++;
		buf_put(&t->text, start, (size_t)(t->p - start));
		if (t->text.failed ||
		    t->text.n > (size_t)2 * JSON_TOKEN_DIGITS_MAX)
			return json_token_error(
				t, ERR_LIMIT,
				"a number of more than %d digits" ERR_RAISE(
					LIMIT_INT_BYTES),
				JSON_TOKEN_DIGITS_MAX);
	}
	*word = buf_str(&t->text);
	return rc == JSON_TOKEN_END ? 0 : rc;
}

/* VALUE_INT or VALUE_FLOAT if s is a number by the RFC's grammar, else
 * VALUE_ABSENT. */
static enum value_kind number_kind(struct str s)
{
	const char *end = s.p + s.n;
	const char *start = s.p + (s.n > 0 && *s.p == '-');
	const char *p = digits_end(start, end);
	enum value_kind kind = VALUE_INT;

	if (p == start || (*start == '0' && p > start + 1))
		return VALUE_ABSENT;
	if (p < end && *p == '.') {
		start = p + 1;
		p = digits_end(start, end);
		if (p == start)
			return VALUE_ABSENT;
		kind = VALUE_FLOAT;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		start = p + 1;
		start += start < end && (*start == '-' || *start == '+');
		p = digits_end(start, end);
		if (p == start)
			return VALUE_ABSENT;
		kind = VALUE_FLOAT;
	}
	return p == end ? kind : VALUE_ABSENT;
}

static bool constant(struct str word, struct value *v)
{
	const struct {
		struct str word;
		struct value value;
	} constants[] = {
		{STR("null"), {.kind = VALUE_NONE}},
		{STR("true"), {.kind = VALUE_BOOL, .b = true}},
		{STR("false"), {.kind = VALUE_BOOL, .b = false}},
		{STR("NaN"), {.kind = VALUE_FLOAT, .f = NAN}},
		{STR("Infinity"), {.kind = VALUE_FLOAT, .f = INFINITY}},
		{STR("-Infinity"), {.kind = VALUE_FLOAT, .f = -INFINITY}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (str_eq(word, constants[i].word)) {
			*v = constants[i].value;
			return true;
		}
	return false;
}

bool json_token_is_scalar(struct str word)
{
	return number_kind(word) != VALUE_ABSENT || str_is(word, "null") ||
	       str_is(word, "true") || str_is(word, "false");
}

static int put_number(struct json_tokens *t, struct str word, struct value *v)
{
	if (v->kind == VALUE_FLOAT)
		num_parse_double(word, &v->f);
	else if (word.n > JSON_TOKEN_DIGITS_MAX)
		return json_token_error(
			t, ERR_LIMIT,
			"an integer of more than %d digits" ERR_RAISE(
				LIMIT_INT_BYTES),
			JSON_TOKEN_DIGITS_MAX);
	else if (!num_parse_int(word, &v->i))
		*v = (struct value){.kind = VALUE_BIGINT,
				    .n = (uint32_t)word.n,
				    .p = word.p};
	return 0;
}

int json_token_scalar(struct json_tokens *t, bool keep, struct value *v)
{
	const char *end = json_plain_number(t->p, t->end, v);
	struct str word;
	int rc;

	if (end != NULL) {
		t->p = end;
		return 0;
	}
	*v = (struct value){.kind = VALUE_ABSENT};
	if (!json_in_word(*t->p))
		return json_token_unexpected(t, (unsigned char)*t->p,
					     "a value");
	rc = take_word(t, &word);
	if (rc != 0 || constant(word, v))
		return rc;
	v->kind = (uint8_t)number_kind(word);
	if (v->kind == VALUE_ABSENT)
		return json_token_error(t, ERR_INPUT,
					"'%.*s' is not a JSON value",
					(int)(word.n > 40 ? 40 : word.n),
					word.p);
	return keep ? put_number(t, word, v) : 0;
}
