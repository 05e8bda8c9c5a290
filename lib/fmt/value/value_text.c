#include "fmt/value/value_text.h"

#include <math.h>

#include "base/limits.h"
#include "base/num.h"
#include "base/utf8.h"
#include "fmt/value/value_size.h"

static void put_repr(struct buf *b, struct value v, int depth);

static void put_str(struct buf *b, struct str s)
{
	buf_put(b, s.p, s.n);
}

static void put_float(struct buf *b, double f)
{
	char text[NUM_DOUBLE_MAX];

	if (isnan(f))
		buf_puts(b, "nan");
	else if (isinf(f))
		buf_puts(b, f < 0 ? "-inf" : "inf");
	else
		buf_put(b, text, num_put_repr(text, f));
}

static void put_int(struct buf *b, int64_t i)
{
	char text[NUM_INT_MAX];

	buf_put(b, text, num_put_int(text, i));
}

/* Python uses single quotes unless the text contains only those. */
static char quote_for(struct str s)
{
	bool has_single = s.n > 0 && memchr(s.p, '\'', s.n) != NULL;
	bool has_double = s.n > 0 && memchr(s.p, '"', s.n) != NULL;

	return has_single && !has_double ? '"' : '\'';
}

/* One code point, or one byte of a bytes object, inside quotes. */
static void put_quoted(struct buf *b, uint32_t point, char quote, bool bytes)
{
	char utf8[UTF8_MAX];

	if (point == (unsigned char)quote || point == '\\')
		buf_printf(b, "\\%c", (char)point);
	else if (point == '\n' || point == '\r' || point == '\t')
		buf_printf(b, "\\%c",
			   point == '\n'   ? 'n'
			   : point == '\r' ? 'r'
					   : 't');
	else if (point < 0x20 || point == 0x7f ||
		 (point >= 0x80 && (bytes || point < 0xa0)))
		buf_printf(b, "\\x%02x", point);
	else if (point >= 0xd800 && point <= 0xdfff)
		buf_printf(b, "\\u%04x", point);
	else
		buf_put(b, utf8, utf8_put(utf8, point));
}

static void put_quotes(struct buf *b, struct str s, bool bytes)
{
	const char *p = s.n > 0 ? s.p : "";
	const char *end = p + s.n;
	char quote = quote_for(s);

	if (bytes)
		buf_putc(b, 'b');
	buf_putc(b, quote);
	while (p < end && !b->failed) {
		uint32_t point = (unsigned char)*p;
		size_t n = bytes ? 1 : utf8_next(p, end, &point);

		put_quoted(b, point == UTF8_BAD ? 0xfffd : point, quote, bytes);
		p += n;
	}
	buf_putc(b, quote);
}

static void put_items(struct buf *b, struct value v, int depth)
{
	const struct value_items *items = v.items;
	bool dict = v.kind == VALUE_DICT;

	for (uint32_t i = 0; i < items->n && !b->failed; i++) {
		if (dict && i % 2 == 1)
			buf_puts(b, ": ");
		else if (i > 0)
			buf_puts(b, ", ");
		put_repr(b, items->v[i], depth);
	}
	if (v.kind == VALUE_TUPLE && items->n == 1)
		buf_putc(b, ',');
}

/* depth: containers around v. */
static void put_container(struct buf *b, struct value v, int depth)
{
	char open = v.kind == VALUE_LIST    ? '['
		    : v.kind == VALUE_TUPLE ? '('
					    : '{';
	char close = open == '[' ? ']' : open == '(' ? ')' : '}';

	if (v.kind == VALUE_SET && v.items->n == 0) {
		buf_puts(b, "set()");
		return;
	}
	buf_putc(b, open);
	if (depth == LIMIT_DEPTH_WRITTEN || !value_enter(v.items)) {
		buf_puts(b, "...");
	} else {
		put_items(b, v, depth + 1);
		value_leave(v.items);
	}
	buf_putc(b, close);
}

/* The name of a class, a function or an object, in < and >. */
static void put_name(struct buf *b, struct value v)
{
	if (v.kind == VALUE_OBJECT)
		v = v.object->callable;
	buf_putc(b, '<');
	if (v.kind == VALUE_GLOBAL) {
		put_str(b, v.global->module);
		buf_putc(b, '.');
		put_str(b, v.global->name);
	} else {
		buf_puts(b, "object");
	}
	buf_putc(b, '>');
}

static void put_repr(struct buf *b, struct value v, int depth)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_ABSENT:
	case VALUE_NONE:
		buf_puts(b, "None");
		break;
	case VALUE_BOOL:
		buf_puts(b, v.b ? "True" : "False");
		break;
	case VALUE_INT:
		put_int(b, v.i);
		break;
	case VALUE_FLOAT:
		put_float(b, v.f);
		break;
	case VALUE_BIGINT:
		put_str(b, value_text(v));
		break;
	case VALUE_STR:
	case VALUE_BYTES:
		put_quotes(b, value_text(v), v.kind == VALUE_BYTES);
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_DICT:
		put_container(b, v, depth);
		break;
	case VALUE_OBJECT:
		if (v.object->text.n > 0) {
			put_str(b, v.object->text);
			break;
		}
		/* fallthrough */
	case VALUE_GLOBAL:
		put_name(b, v);
		break;
	case VALUE_SKIPPED:
		buf_puts(b, "<skipped>");
		break;
	}
}

void value_put_str(struct buf *b, struct value v)
{
	uint64_t size = 0;
	const struct limit *passed = NULL;

	if (v.kind == VALUE_STR) {
		put_str(b, value_text(v));
		return;
	}
	if (b->max >= LIMIT_STRING)
		passed = value_size_add(&size, v);
	if (passed != NULL)
		buf_reject(b, passed);
	else
		put_repr(b, v, 0);
}
