#include "fmt/json/json_write.h"

#include <errno.h>
#include <math.h>

#include "base/json_escape.h"
#include "base/num.h"

enum { CHUNK = 128 /* code points escaped between checks of out */ };

/* Escape from p up to a plain byte, the end of text, or the end of the room. */
static const char *put_chunk(struct out *out, const char *p, const char *end)
{
	char *start = out_room(out, (size_t)CHUNK * JSON_ESCAPE_MAX);
	char *at = start;

	for (int i = 0; i < CHUNK && p < end; i++) {
		if (json_is_plain((unsigned char)*p))
			break;
		at += json_escape_point(at, &p, end);
	}
	out->n += (size_t)(at - start);
	return p;
}

void json_escape(struct out *out, struct str text)
{
	const char *p = text.n > 0 ? text.p : "";
	const char *end = p + text.n;

	while (p < end) {
		const char *stop = json_plain_end(p, end);

		out_put(out, p, (size_t)(stop - p));
		p = stop;
		if (p < end)
			p = put_chunk(out, p, end);
	}
}

void json_str(struct json_writer *w, struct str text)
{
	json_begin_value(w);
	out_putc(w->out, '"');
	json_escape(w->out, text);
	out_putc(w->out, '"');
}

void json_key_str(struct json_writer *w, struct str key)
{
	json_str(w, key);
	out_putc(w->out, ':');
	w->comma = false;
}

void json_int(struct json_writer *w, int64_t i)
{
	json_begin_value(w);
	w->out->n += num_put_int(out_room(w->out, NUM_INT_MAX), i);
}

void json_uint(struct json_writer *w, uint64_t u)
{
	json_begin_value(w);
	w->out->n += num_put_uint(out_room(w->out, NUM_INT_MAX), u);
}

void json_double(struct json_writer *w, double d)
{
	if (!isfinite(d)) {
		json_null(w);
		return;
	}
	json_begin_value(w);
	w->out->n += num_put_repr(out_room(w->out, NUM_DOUBLE_MAX), d);
}

void json_verbatim(struct json_writer *w, struct str text)
{
	json_begin_value(w);
	out_put(w->out, text.p, text.n);
}

void json_bool(struct json_writer *w, bool b)
{
	json_verbatim(w, str_of(b ? "true" : "false"));
}

void json_null(struct json_writer *w)
{
	json_verbatim(w, str_of("null"));
}

void json_end_line(struct json_writer *w)
{
	out_putc(w->out, '\n');
	w->comma = false;
}

/* Members ----------------------------------------------------------------- */

void json_add_str(struct json_writer *w, const char *key, struct str text)
{
	json_key(w, key);
	json_str(w, text);
}

void json_add_int(struct json_writer *w, const char *key, int64_t i)
{
	json_key(w, key);
	json_int(w, i);
}

void json_add_uint(struct json_writer *w, const char *key, uint64_t u)
{
	json_key(w, key);
	json_uint(w, u);
}

void json_add_double(struct json_writer *w, const char *key, double d)
{
	json_key(w, key);
	json_double(w, d);
}

void json_add_bool(struct json_writer *w, const char *key, bool b)
{
	json_key(w, key);
	json_bool(w, b);
}

void json_add_verbatim(struct json_writer *w, const char *key, struct str text)
{
	json_key(w, key);
	json_verbatim(w, text);
}

void json_add_text(struct json_writer *w, const char *key, const char *text)
{
	json_key(w, key);
	if (text != NULL)
		json_str(w, str_of(text));
	else
		json_null(w);
}

void json_add_buf(struct json_writer *w, const char *key, struct buf *text)
{
	json_add_str(w, key, buf_str(text));
	if (text->failed && w->out->failed == 0)
		w->out->failed = ENOMEM;
	buf_clear(text);
}
