/*
 * The opcodes for numbers, constants and strings.
 */
#include "base/limits.h"
#include "base/num.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

/* Short strings of payload that are kept anyway: memory budget, and overhead
 * per string. */
enum { PAYLOAD_TEXT = 4 * 1024 * 1024, PER_STRING = 48 };

/* In payload numbers are not pushed. */
static int push_number(struct pickle *r, struct value v)
{
	if (r->skip_marks == 0)
		return pickle_push(r, v);
	if (r->marks_n == r->skip_marks)
		pickle_sum_one(r->stack[r->marks[r->marks_n - 1] - 1], v);
	return pickle_run_of_numbers(r);
}

int pickle_op_none(struct pickle *r)
{
	return push_number(r, value_none());
}

int pickle_op_bool(struct pickle *r)
{
	return push_number(r, value_bool(r->argument));
}

int pickle_take_size_slowly(struct pickle *r, size_t n, uint64_t *v)
{
	const char *p = pickle_take(r, n);

	*v = 0;
	if (p == NULL)
		return r->err->code;
	while (n-- > 0)
		*v = *v << 8 | (unsigned char)p[n];
	return 0;
}

int pickle_op_binuint(struct pickle *r)
{
	uint64_t v;

	if (pickle_take_size(r, r->argument, &v) < 0)
		return r->err->code;
	return push_number(r, value_int((int64_t)v));
}

int pickle_op_binint(struct pickle *r)
{
	uint64_t v;

	if (pickle_take_size(r, 4, &v) < 0)
		return r->err->code;
	return push_number(r, value_int((int32_t)v));
}

int pickle_op_binfloat(struct pickle *r)
{
	uint64_t bits;
	double f;

	if (pickle_take_size(r, 8, &bits) < 0)
		return r->err->code;
	bits = __builtin_bswap64(bits);
	memcpy(&f, &bits, sizeof(f));
	return push_number(r, value_float(f));
}

int pickle_op_binlong(struct pickle *r)
{
	struct value v;
	uint64_t n;
	const char *p;

	if (pickle_take_size(r, r->argument, &n) < 0)
		return r->err->code;
	if (n > LIMIT_INT_BYTES)
		return err_at(
			r->err, ERR_LIMIT, ERR_BYTE, (int64_t)pickle_offset(r),
			"an integer of %llu bytes" ERR_RAISE(LIMIT_INT_BYTES),
			(unsigned long long)n);
	p = pickle_take(r, (size_t)n);
	if (p == NULL || (r->skip_marks == 0 &&
			  pickle_decode_long(r, (const unsigned char *)p,
					     (size_t)n, &v) < 0))
		return r->err->code;
	return r->skip_marks != 0 ? PICKLE_GO : pickle_push(r, v);
}

/* Protocol 0 and 1: I01 and I00 are booleans, else decimal digits. */
int pickle_op_int(struct pickle *r)
{
	struct value v;
	struct str line;

	if (pickle_line(r, &line) < 0)
		return r->err->code;
	if (str_is(line, "01") || str_is(line, "00"))
		v = value_bool(line.p[1] == '1');
	else if (pickle_decode_int(r, line, &v) < 0)
		return r->err->code;
	return push_number(r, v);
}

int pickle_op_long(struct pickle *r)
{
	struct value v;
	struct str line;

	if (pickle_line(r, &line) < 0 || pickle_decode_int(r, line, &v) < 0)
		return r->err->code;
	return push_number(r, v);
}

/* repr's nan and inf, which num_parse does not accept. */
static bool special_float(struct str s, double *f)
{
	bool negative = s.n > 0 && s.p[0] == '-';

	if (negative) {
		s.p++;
		s.n--;
	}
	*f = str_is(s, "nan") ? __builtin_nan("") : __builtin_inf();
	*f = negative ? -*f : *f;
	return str_is(s, "nan") || str_is(s, "inf");
}

int pickle_op_float(struct pickle *r)
{
	struct str line;
	double f;

	if (pickle_line(r, &line) < 0)
		return r->err->code;
	line = str_trim(line);
	if (!num_parse_double(line, &f) && !special_float(line, &f))
		return pickle_bad(r, "a FLOAT that is not a number");
	return push_number(r, value_float(f));
}

/* Strings ---------------------------------------------------------- */

/* Read n bytes into a string value; NULL kind on failure. */
static int read_text(struct pickle *r, struct arena *a, uint64_t n,
		     enum value_kind kind, struct value *v)
{
	char *p;

	if (!pickle_can_follow(r, n))
		return pickle_cut_off(r, n);
	if (n > LIMIT_STRING)
		return err_at(r->err, ERR_LIMIT, ERR_BYTE,
			      (int64_t)pickle_offset(r),
			      "a string of %llu bytes" ERR_RAISE(LIMIT_STRING),
			      (unsigned long long)n);
	p = arena_alloc(a, (size_t)n);
	if (p == NULL)
		return pickle_memory(r);
	*v = value_str(str_make(p, (size_t)n));
	v->kind = (uint8_t)kind;
	return pickle_copy(r, p, n);
}

/*
 * Is a string of n bytes in payload skipped? Short ones are kept within a
 * budget, since metadata may share the object.
 */
static bool passes_text(const struct pickle *r, uint64_t n)
{
	if (r->reading == 2 && pickle_is_needed(r, r->memo_n))
		return false;
	return n > PICKLE_SHORT_STRING || r->payload_text > PAYLOAD_TEXT;
}

/*
 * A string of the next n bytes. Short ones go to the arena that outlives the
 * element, since picklers may refer to a string from anywhere.
 */
static int text_of(struct pickle *r, uint64_t n, enum value_kind kind)
{
	struct value v = {.kind = VALUE_ABSENT};

	if (pickle_skips_value(r)) {
		if (passes_text(r, n))
			return pickle_pass(r, n) < 0
				       ? r->err->code
				       : pickle_push_skipped(r, v);
		r->payload_text += n + PER_STRING;
	}
	if (read_text(r, pickle_text_arena(r, n), n, kind, &v) < 0)
		return r->err->code;
	return pickle_push(r, v);
}

static int sized_text(struct pickle *r, enum value_kind kind)
{
	uint64_t n;

	if (pickle_take_size(r, r->argument, &n) < 0)
		return r->err->code;
	return text_of(r, n, kind);
}

int pickle_op_binunicode(struct pickle *r)
{
	return sized_text(r, VALUE_STR);
}

int pickle_op_binbytes(struct pickle *r)
{
	return sized_text(r, VALUE_BYTES);
}

int pickle_op_string(struct pickle *r)
{
	struct value v;
	struct str line;

	if (pickle_line(r, &line) < 0 || pickle_decode_string(r, line, &v) < 0)
		return r->err->code;
	return pickle_push(r, v);
}

int pickle_op_unicode(struct pickle *r)
{
	struct value v;
	struct str line;

	if (pickle_line(r, &line) < 0 || pickle_decode_unicode(r, line, &v) < 0)
		return r->err->code;
	return pickle_push(r, v);
}
