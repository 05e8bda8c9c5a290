#include <math.h>

#include "base/limits.h"
#include "fmt/value/value_text.h"
#include "rollout/foreign/miles_parts.h"

void miles_open(struct miles_rows *rows, size_t record_size)
{
	rows->keys = intern_new(LIMIT_KEPT);
	rows->texts = intern_new(LIMIT_KEPT);
	rows->key = buf_new(LIMIT_STRING);
	rows->held = held_new(record_size);
	rows->open = true;
}

void miles_close(struct foreign *f)
{
	struct miles_rows *rows = (struct miles_rows *)f;

	if (!rows->open)
		return;
	intern_free(&rows->keys);
	intern_free(&rows->texts);
	held_free(&rows->held);
	buf_free(&rows->key);
}

/* A part of a key: equal values are equal bytes, whether 10 or 10.0. */
struct value miles_whole(struct value v)
{
	return v.kind == VALUE_FLOAT && fabs(v.f) < 0x1p53 && v.f == floor(v.f)
		       ? value_int((int64_t)v.f)
		       : v;
}

static void put_part(struct buf *key, struct value v)
{
	v = miles_whole(v);
	buf_putc(key, (char)v.kind);
	if (v.kind == VALUE_INT) {
		buf_put(key, &v.i, sizeof(v.i));
	} else if (v.kind == VALUE_FLOAT) {
		buf_put(key, &v.f, sizeof(v.f));
	} else if (v.kind == VALUE_STR) {
		buf_put(key, v.p, v.n);
		buf_putc(key, '\x1f');
	} else {
		value_put_str(key, v);
		buf_putc(key, '\x1f');
	}
}

uint32_t miles_number(struct miles_rows *rows, struct intern *table,
		      const struct value *record, const uint8_t *members,
		      size_t n, struct err *err)
{
	uint32_t number;

	buf_clear(&rows->key);
	for (size_t i = 0; i < n; i++)
		put_part(&rows->key, record[members[i]]);
	if (rows->key.failed) {
		buf_error(&rows->key, err);
		return INTERN_FAILED;
	}
	number = intern_add(table, buf_str(&rows->key));
	if (number == INTERN_FAILED)
		intern_error(table, err);
	return number;
}

uint32_t miles_text(struct miles_rows *rows, struct value v, uint32_t before)
{
	if (v.kind != VALUE_STR || v.n == 0)
		return 0;
	return str_eq(intern_text(&rows->texts, before), value_text(v))
		       ? before
		       : intern_add(&rows->texts, value_text(v));
}
