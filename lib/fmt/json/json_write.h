/*
 * A streaming JSON writer (RFC 8259), compact and pure ASCII.
 *
 * The output equals Python's json.dumps(ensure_ascii=True, separators=(",",
 * ":")), except that NaN and infinities become null. The caller pairs begins
 * with ends and writes a key before each value of an object; commas are
 * automatic. One flag is enough state: a value or a closed container needs a
 * comma after it, a key or an opened container does not.
 *
 * The writer owns nothing, needs no closing and cannot fail: out_close reports
 * a failed write. json_value.h writes a complete struct value.
 */
#ifndef OBS_FMT_JSON_JSON_WRITE_H
#define OBS_FMT_JSON_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/str.h"

struct json_writer {
	struct out *out;
	bool comma;	  /* the next key or element needs one before it */
	bool marks_large; /* see json_value.h */
	/* For json_put_value: */
	uint64_t cuts;		    /* places where it wrote "..." */
	uint64_t size;		    /* written since this was set to 0 */
	const struct limit *passed; /* exceeded by a value; NULL: none */
};

static inline struct json_writer json_writer_on(struct out *out)
{
	return (struct json_writer){.out = out};
}

/* A newline between top-level values: ends one line of JSONL. */
void json_end_line(struct json_writer *w);

/* The comma, if needed, before a value the caller prints itself. */
static inline void json_begin_value(struct json_writer *w)
{
	if (w->comma)
		out_putc(w->out, ',');
	w->comma = true;
}

/* '{' or '[' and their ends. */
static inline void json_begin(struct json_writer *w, char bracket)
{
	json_begin_value(w);
	out_putc(w->out, bracket);
	w->comma = false;
}

static inline void json_end(struct json_writer *w, char bracket)
{
	out_putc(w->out, bracket);
	w->comma = true;
}

/* A key of constant text without escapes. */
static inline void json_key(struct json_writer *w, const char *text)
{
	json_begin_value(w);
	out_putc(w->out, '"');
	out_put(w->out, text, strlen(text));
	out_put(w->out, "\":", 2);
	w->comma = false;
}

void json_key_str(struct json_writer *w, struct str key);

/* Text is UTF-8, see base/utf8.h; other bytes become \ufffd. */
void json_str(struct json_writer *w, struct str text);
void json_int(struct json_writer *w, int64_t i);
void json_uint(struct json_writer *w, uint64_t u);
void json_double(struct json_writer *w, double d); /* null if not finite */
void json_bool(struct json_writer *w, bool b);
void json_null(struct json_writer *w);

/* A key of such text, and its value; NULL text becomes null. */
void json_add_str(struct json_writer *w, const char *key, struct str text);
void json_add_text(struct json_writer *w, const char *key, const char *text);
void json_add_int(struct json_writer *w, const char *key, int64_t i);
void json_add_uint(struct json_writer *w, const char *key, uint64_t u);
void json_add_double(struct json_writer *w, const char *key, double d);
void json_add_bool(struct json_writer *w, const char *key, bool b);
void json_add_verbatim(struct json_writer *w, const char *key, struct str text);

/* A key and a text, which is cleared; if that failed, so has the output. */
void json_add_buf(struct json_writer *w, const char *key, struct buf *text);

/* A key, and the opening bracket of its value. */
static inline void json_add_begin(struct json_writer *w, const char *key,
				  char bracket)
{
	json_key(w, key);
	json_begin(w, bracket);
}

/* Bytes that are already one JSON value, such as the digits of a bigint. */
void json_verbatim(struct json_writer *w, struct str text);

/* The text of a string without quotes, for a caller that joins one from
 * parts. */
void json_escape(struct out *out, struct str text);

#endif
