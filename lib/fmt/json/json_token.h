/*
 * The bytes and tokens under json_read.c: blocks from a source, blanks,
 * strings, numbers. Private to the JSON reader.
 *
 * Functions that can fail return 0 (or as documented) or a negative error code,
 * with t->err filled.
 */
#ifndef OBS_FMT_JSON_JSON_TOKEN_H
#define OBS_FMT_JSON_JSON_TOKEN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/source.h"
#include "fmt/json/json_number.h"
#include "fmt/json/json_plain.h"
#include "fmt/value/value.h"

enum {
	JSON_TOKEN_END = -100, /* instead of a byte: the end of the input */
	/* The decimal digits of an integer of LIMIT_INT_BYTES bytes. */
	JSON_TOKEN_DIGITS_MAX = (int)(LIMIT_INT_BYTES * 8 * 30103 / 100000) + 1
};

struct json_tokens {
	struct byte_source *source;
	const char *p;	 /* the next byte */
	const char *end; /* of the block */
	const char *block;
	int64_t before;	       /* bytes in previous blocks */
	int64_t line;	       /* of the next byte, from 1 */
	int64_t first;	       /* offset of its first non-blank byte */
	bool one_line;	       /* a newline inside a value is an error */
	bool by_line;	       /* errors give the line, not the byte */
	struct buf text;       /* a token that spans blocks */
	struct buf kept;       /* of the current line, previous blocks */
	const char *kept_from; /* the rest of it; NULL: not kept */
	struct err *err;       /* of the current call */
};

/* The offset of the next byte. */
static inline int64_t json_token_offset(const struct json_tokens *t)
{
	return t->before + (t->p - t->block);
}

/* The next block once the current one is used up: 0, JSON_TOKEN_END or an
 * error. */
int json_token_refill(struct json_tokens *t);

/* An error at the next byte. */
int json_token_error(struct json_tokens *t, enum err_code code,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "expected WHAT, found ...": c is the next byte, or JSON_TOKEN_END, or an
 * error, which is returned unchanged. */
int json_token_unexpected(struct json_tokens *t, int c, const char *what);

/* The error for a text of more than LIMIT_STRING. */
int json_token_too_long(struct json_tokens *t);

/* The next non-blank byte, not consumed; JSON_TOKEN_END, or an error. Outside
 * of values (inside is false) newlines are always blanks. */
int json_token_peek_slow(struct json_tokens *t, bool inside);

/* Is the rest of the line blank? 0, else an error. */
int json_token_end_line(struct json_tokens *t);

/* Skip to the end of the line or of the input. */
int json_token_skip_line(struct json_tokens *t);

/* Keep the line from here on; json_token_line returns it up to the next byte,
 * or nothing if it is longer than 8 MiB. */
void json_token_keep_line(struct json_tokens *t);
struct str json_token_line(struct json_tokens *t);

/* Consume a byte order mark, whose first byte is next. */
int json_token_skip_bom(struct json_tokens *t);

static inline int json_token_peek(struct json_tokens *t, bool inside)
{
	const char *p = t->p;

	if (p != t->end && *p == ' ') /* a single blank, the usual case */
		p++;
	if (p != t->end && (unsigned char)*p > ' ') {
		t->p = p;
		return (unsigned char)*p;
	}
	return json_token_peek_slow(t, inside);
}

/* Consume a byte, which must be next: 0, or an error, "expected WHAT". */
static inline int json_token_take(struct json_tokens *t, char byte,
				  const char *what)
{
	int c = json_token_peek(t, true);

	if (c != byte)
		return json_token_unexpected(t, c, what);
	t->p++;
	return 0;
}

/* After an element of a container that `end` closes: 0 if another one follows a
 * comma, which is consumed; 1 if the end is next; or an error. */
static inline int json_token_comma(struct json_tokens *t, char end)
{
	int c = json_token_peek(t, true);

	if (c == end)
		return 1;
	if (c != ',')
		return json_token_unexpected(
			t, c, end == '}' ? "',' or '}'" : "',' or ']'");
	t->p++;
	return 0;
}

/* Is the word a number, true, false or null as spelled in the RFC? */
bool json_token_is_scalar(struct str word);

/*
 * Read a string whose opening quote is next. With keep, *s is the text, which
 * is valid until the next byte is read; without, *s is not set.
 */
int json_token_string(struct json_tokens *t, bool keep, struct str *s);

/* Read a key: the same with keep, and an error for anything but a string. */
int json_token_key(struct json_tokens *t, struct str *key);

/*
 * Read a number, NaN, an infinity, true, false or null. With keep, *v is the
 * value, the digits of a bigint as text valid as above; without, only its kind
 * is set.
 */
int json_token_scalar(struct json_tokens *t, bool keep, struct value *v);

#endif
