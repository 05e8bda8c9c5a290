/*
 * numpy scalars: numpy.core.multiarray.scalar(dtype, bytes), numpy._core in
 * numpy 2. The dtype is numpy.dtype(code, ...) with the byte order as the
 * second member of its state. A float64 is a Python float and a str_ a str; the
 * others do not pass Python's isinstance as numbers and become the text of
 * str(), as in the trainer's own viewer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

static const struct value absent = {.kind = VALUE_ABSENT};

bool pickle_is_numpy_scalar(struct value callable)
{
	struct str module = callable.global->module;

	return str_is(callable.global->name, "scalar") &&
	       (str_is(module, "numpy.core.multiarray") ||
		str_is(module, "numpy._core.multiarray"));
}

/* The type code ("f8") and byte order ('<', '>', '|') of a dtype. */
static struct str dtype_code(struct value dtype, char *order)
{
	struct value args, state;

	*order = '<';
	if (dtype.kind != VALUE_OBJECT)
		return str_make("", 0);
	args = dtype.object->args;
	state = dtype.object->state;
	if (state.kind == VALUE_TUPLE && state.items->n > 1 &&
	    state.items->v[1].kind == VALUE_STR && state.items->v[1].n == 1)
		*order = state.items->v[1].p[0];
	if (args.kind != VALUE_TUPLE || args.items->n == 0 ||
	    args.items->v[0].kind != VALUE_STR)
		return str_make("", 0);
	return value_text(args.items->v[0]);
}

/* Up to 8 bytes as an unsigned number. */
static uint64_t bits_of(struct str bytes, bool big)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < bytes.n; i++) {
		size_t at = big ? i : bytes.n - 1 - i;

		bits = bits << 8 | (unsigned char)bytes.p[at];
	}
	return bits;
}

static struct value text_value(struct pickle *r, const char *text)
{
	struct str kept = arena_str(&r->kept, str_of(text));

	return kept.p == NULL ? absent : value_str(kept);
}

/* str() of a float32: the fewest digits that read back to the same value. */
static struct value float32_text(struct pickle *r, float f)
{
	char text[NUM_DOUBLE_MAX];
	double shortest = (double)f;
	size_t n;

	for (int digits = 1; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, (double)f);
		shortest = strtod(text, NULL);
		if ((float)shortest == f)
			break;
	}
	n = num_put_repr(text, shortest);
	text[n] = '\0';
	return text_value(r, text);
}

static struct value integer_text(struct pickle *r, struct str bytes, bool big,
				 bool is_signed)
{
	char text[NUM_INT_MAX + 1];
	unsigned unused = (unsigned)(64 - bytes.n * 8);
	uint64_t bits = bits_of(bytes, big);
	size_t n;

	if (is_signed)
		n = num_put_int(text, (int64_t)(bits << unused) >> unused);
	else
		n = num_put_uint(text, bits);
	text[n] = '\0';
	return text_value(r, text);
}

/* A str_ is stored as UTF-32, padded with zeros. */
static struct value utf32_text(struct pickle *r, struct str bytes, bool big)
{
	char *to = arena_alloc(pickle_text_arena(r, bytes.n), bytes.n + 1);
	size_t n = 0;

	if (to == NULL)
		return absent;
	for (size_t i = 0; i + 4 <= bytes.n; i += 4) {
		uint64_t point = bits_of(str_make(bytes.p + i, 4), big);

		if (point != 0 && point <= 0x10ffff)
			n += utf8_put(to + n, (uint32_t)point);
	}
	return pickle_text_in(r, bytes.n, to, n);
}

struct value pickle_numpy_scalar(struct pickle *r, struct value dtype,
				 struct value raw)
{
	char order;
	struct str code = dtype_code(dtype, &order);
	struct str bytes = value_text(raw);
	bool big = order == '>';
	uint64_t bits;
	uint32_t half;
	float f;
	double d;

	if (raw.kind != VALUE_BYTES || code.n < 2)
		return absent;
	if (code.p[0] == 'U')
		return utf32_text(r, bytes, big);
	if (bytes.n == 0 || bytes.n > 8 || code.p[1] - '0' != (int)bytes.n)
		return absent;
	bits = bits_of(bytes, big);
	switch (code.p[0]) {
	case 'b':
		return text_value(r, bits != 0 ? "True" : "False");
	case 'i':
	case 'u':
		return integer_text(r, bytes, big, code.p[0] == 'i');
	case 'f':
		half = (uint32_t)bits;
		memcpy(&f, &half, sizeof(f));
		memcpy(&d, &bits, sizeof(d));
		if (bytes.n == 8)
			return value_float(d);
		return bytes.n == 4 ? float32_text(r, f) : absent;
	default:
		return absent;
	}
}
