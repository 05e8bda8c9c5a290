#include "trace/record.h"

#include <math.h>

#include "base/clock.h"
#include "base/json_escape.h"
#include "base/num.h"

static void put_text(struct buf *b, struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	buf_putc(b, '"');
	while (p < end) {
		const char *stop = json_plain_end(p, end);
		char *room;

		buf_put(b, p, (size_t)(stop - p));
		p = stop;
		room = p < end ? buf_room(b, JSON_ESCAPE_MAX) : NULL;
		if (room == NULL)
			break;
		b->n += json_escape_point(room, &p, end);
	}
	buf_putc(b, '"');
}

static void put_int(struct buf *b, int64_t i)
{
	char *room = buf_room(b, NUM_INT_MAX);

	if (room != NULL)
		b->n += num_put_int(room, i);
}

static void put_double(struct buf *b, double d)
{
	char *room = buf_room(b, NUM_DOUBLE_MAX);

	if (room != NULL && isfinite(d))
		b->n += num_put_repr(room, d);
	else
		buf_puts(b, "null");
}

/* A value must not end the line: its newlines become blanks. */
static void put_json(struct buf *b, const char *text)
{
	size_t from = b->n;

	buf_puts(b, text);
	for (size_t i = from; i < b->n; i++)
		if (b->p[i] == '\n')
			b->p[i] = ' ';
}

static void put_attr(struct buf *b, const struct obs_attr *attr)
{
	bool is_text = attr->kind == OBS_TEXT || attr->kind == OBS_JSON;

	put_text(b, str_of(attr->key));
	buf_putc(b, ':');
	if (is_text && attr->text == NULL)
		buf_puts(b, "null");
	else if (attr->kind == OBS_BOOL)
		buf_puts(b, attr->i ? "true" : "false");
	else if (attr->kind == OBS_INT)
		put_int(b, attr->i);
	else if (attr->kind == OBS_DOUBLE)
		put_double(b, attr->d);
	else if (attr->kind == OBS_TEXT)
		put_text(b, str_of(attr->text));
	else
		put_json(b, attr->text);
}

/* Nine decimals, though a double of current Unix time has only seven. */
static void put_time(struct buf *b, int64_t ns)
{
	int64_t fraction = ns % NS_PER_SECOND;
	char *at;

	put_int(b, ns / NS_PER_SECOND);
	at = buf_room(b, 10);
	if (at == NULL)
		return;
	at[0] = '.';
	for (int i = 9; i > 0; i--) {
		at[i] = (char)('0' + fraction % 10);
		fraction /= 10;
	}
	b->n += 10;
}

void trace_record_put_id(struct buf *b, struct str id)
{
	char digits[NUM_INT_MAX];
	int64_t i;

	if (id.n == 0)
		buf_puts(b, "null");
	else if (num_parse_int(id, &i) &&
		 str_eq(str_make(digits, num_put_int(digits, i)), id))
		put_int(b, i);
	else
		put_text(b, id);
}

static void put_attrs(struct buf *b, const struct trace_record *record)
{
	buf_puts(b, ",\"attrs\":{");
	for (size_t i = 0; i < record->n; i++) {
		if (i > 0)
			buf_putc(b, ',');
		put_attr(b, &record->attrs[i]);
	}
	buf_putc(b, '}');
}

void trace_record_put(struct buf *b, const struct trace_record *record,
		      struct str ids)
{
	buf_puts(b, "{\"type\":\"");
	buf_puts(b, record->type);
	buf_puts(b, "\",\"name\":");
	put_text(b, str_of(record->name));
	buf_puts(b, ",\"ts\":");
	put_time(b, record->ts);
	buf_put(b, ids.p, ids.n);
	buf_puts(b, ",\"attempt\":");
	put_int(b, record->attempt);
	if (*record->span_id != '\0') {
		buf_puts(b, ",\"span_id\":");
		put_text(b, str_of(record->span_id));
	}
	if (*record->parent_id != '\0') {
		buf_puts(b, ",\"parent_span_id\":");
		put_text(b, str_of(record->parent_id));
	}
	if (record->n > 0)
		put_attrs(b, record);
	buf_puts(b, "}\n");
}
