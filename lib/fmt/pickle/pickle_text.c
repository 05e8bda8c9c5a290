#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/utf8.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

/* count hex digits at p, or -1. */
static long hex_number(const char *p, const char *end, int count)
{
	long v = 0;

	if (end - p < count)
		return -1;
	for (int i = 0; i < count; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	return v;
}

/* The opcode V: Latin-1 with \uXXXX and \UXXXXXXXX. */
int pickle_decode_unicode(struct pickle *r, struct str raw, struct value *v)
{
	const char *p = raw.p;
	const char *end = raw.p + raw.n;
	char *to = arena_alloc(pickle_text_arena(r, raw.n * 2), raw.n * 2 + 1);
	size_t n = 0;

	if (to == NULL)
		return pickle_memory(r);
	while (p < end) {
		long c = -1;
		int digits = 0;

		if (*p == '\\' && end - p > 1 && (p[1] == 'u' || p[1] == 'U'))
			digits = p[1] == 'u' ? 4 : 8;
		if (digits != 0)
			c = hex_number(p + 2, end, digits);
		if (digits != 0 && (c < 0 || c > 0x10ffff))
			return pickle_bad(r, "a bad \\u escape in a string");
		p += digits == 0 ? 1 : digits + 2;
		n += utf8_put(to + n,
			      digits == 0 ? (unsigned char)p[-1] : (uint32_t)c);
	}
	*v = pickle_text_in(r, raw.n * 2, to, n);
	return v->kind == VALUE_ABSENT ? pickle_memory(r) : 0;
}

/* One escape of a Python string literal; p is past the backslash. */
static const char *unescape(const char *p, const char *end, char *c)
{
	static const char plain[][2] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'},
					{'a', '\a'}, {'b', '\b'}, {'f', '\f'},
					{'v', '\v'}, {'0', '\0'}};
	long hex;

	*c = *p;
	if (*p == 'x') {
		hex = hex_number(p + 1, end, 2);
		*c = (char)hex;
		return hex < 0 ? NULL : p + 3;
	}
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (*p == plain[i][0])
			*c = plain[i][1];
	return p + 1;
}

/* The opcode S: a quoted literal with backslash escapes. */
int pickle_decode_string(struct pickle *r, struct str quoted, struct value *v)
{
	struct str s = str_trim(quoted);
	const char *end = s.p + s.n - 1;
	char *to;
	size_t n = 0;

	if (s.n < 2 || (s.p[0] != '\'' && s.p[0] != '"') || *end != s.p[0])
		return pickle_bad(r, "a STRING without its quotes");
	to = arena_alloc(pickle_text_arena(r, s.n), s.n);
	if (to == NULL)
		return pickle_memory(r);
	for (const char *p = s.p + 1; p != NULL && p < end;) {
		if (*p == '\\' && p + 1 < end)
			p = unescape(p + 1, end, &to[n++]);
		else
			to[n++] = *p++;
		if (p == NULL)
			return pickle_bad(r, "a bad escape in a STRING");
	}
	*v = pickle_text_in(r, s.n, to, n);
	return v->kind == VALUE_ABSENT ? pickle_memory(r) : 0;
}

/* Keep the digits of an integer that int64 cannot hold. */
static int big_integer(struct pickle *r, struct str digits, struct value *v)
{
	struct str kept;
	size_t i = digits.n > 0 && digits.p[0] == '-';

	if (i == digits.n)
		return pickle_bad(r, "an integer without digits");
	for (; i < digits.n; i++)
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return pickle_bad(r, "an integer with other bytes");
	if (digits.n > LIMIT_INT_BYTES * 3)
		return err_set(
			r->err, ERR_LIMIT,
			"an integer of %zu digits" ERR_RAISE(LIMIT_INT_BYTES),
			digits.n);
	kept = arena_str(pickle_arena(r), digits);
	if (kept.p == NULL)
		return pickle_memory(r);
	*v = value_str(kept);
	v->kind = VALUE_BIGINT;
	return 0;
}

/* The opcodes I and L: decimal digits, L with the letter at the end. */
int pickle_decode_int(struct pickle *r, struct str digits, struct value *v)
{
	int64_t i;

	digits = str_trim(digits);
	if (digits.n > 0 && digits.p[digits.n - 1] == 'L')
		digits.n--;
	if (!num_parse_int(digits, &i))
		return big_integer(r, digits, v);
	*v = value_int(i);
	return 0;
}

/* Divide the little-endian number by 10^9 in place; returns the remainder. */
static uint32_t divide(uint32_t *limb, size_t n)
{
	uint64_t rest = 0;

	for (size_t i = n; i-- > 0;) {
		rest = rest << 32 | limb[i];
		limb[i] = (uint32_t)(rest / 1000000000);
		rest %= 1000000000;
	}
	return (uint32_t)rest;
}

/* Two's complement bytes to limbs of the absolute value. */
static void absolute(uint32_t *limb, size_t limbs, const unsigned char *p,
		     size_t n, bool negative)
{
	unsigned carry = negative;

	memset(limb, 0, limbs * sizeof(*limb));
	for (size_t i = 0; i < n; i++) {
		unsigned byte = negative ? (p[i] ^ 0xffu) + carry : p[i];

		carry = byte >> 8;
		limb[i / 4] |= (uint32_t)(byte & 0xff) << i % 4 * 8;
	}
}

static int print_long(struct pickle *r, uint32_t *limb, size_t limbs,
		      bool negative, struct value *v)
{
	size_t room = limbs * 10 + 12;
	char *text = arena_alloc(pickle_arena(r), room);
	size_t at = room;

	if (text == NULL)
		return pickle_memory(r);
	while (limbs > 0) {
		uint32_t nine = divide(limb, limbs);

		while (limbs > 0 && limb[limbs - 1] == 0)
			limbs--;
		for (int i = 0; i < 9 && (limbs > 0 || nine > 0); i++) {
			text[--at] = (char)('0' + nine % 10);
			nine /= 10;
		}
	}
	if (at == room)
		text[--at] = '0';
	if (negative)
		text[--at] = '-';
	*v = value_str(str_make(text + at, room - at));
	v->kind = VALUE_BIGINT;
	return 0;
}

int pickle_decode_long(struct pickle *r, const unsigned char *p, size_t n,
		       struct value *v)
{
	bool negative = n > 0 && p[n - 1] >= 0x80;
	size_t limbs = n / 4 + 1;
	uint32_t *limb;
	uint64_t small = negative ? UINT64_MAX : 0;

	if (n <= 8) {
		for (size_t i = n; i-- > 0;)
			small = small << 8 | p[i];
		*v = value_int((int64_t)small);
		return 0;
	}
	if (n > LIMIT_INT_BYTES)
		return err_set(
			r->err, ERR_LIMIT,
			"an integer of %zu bytes" ERR_RAISE(LIMIT_INT_BYTES),
			n);
	limb = arena_alloc(pickle_arena(r), limbs * sizeof(*limb));
	if (limb == NULL)
		return pickle_memory(r);
	absolute(limb, limbs, p, n, negative);
	return print_long(r, limb, limbs, negative, v);
}
