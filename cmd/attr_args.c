#include "attr_args.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/limits.h"
#include "base/num.h"
#include "common.h"
#include "fmt/json/json_read.h"
#include "fmt/json/json_text.h"

static const char accepted[] = "NAME=VALUE, or NAME:=JSON";

struct attr_args attr_args_new(void)
{
	return (struct attr_args){.arena = arena_new(LIMIT_SAMPLE)};
}

void attr_args_free(struct attr_args *attrs)
{
	arena_free(&attrs->arena);
	free(attrs->v);
}

static const char *keep_text(struct attr_args *attrs, struct str text)
{
	const char *kept = arena_str(&attrs->arena, text).p;

	if (kept == NULL)
		die_memory();
	return kept;
}

/* The position of a key, new or existing. */
static struct obs_attr *place_of(struct attr_args *attrs, const char *key)
{
	for (size_t i = 0; i < attrs->n; i++)
		if (strcmp(attrs->v[i].key, key) == 0)
			return &attrs->v[i];
	if (!ARRAY_GROW(attrs->v, attrs->n, attrs->cap))
		die_memory();
	return &attrs->v[attrs->n++];
}

/* A number by JSON's rules: 007, +1 and 1e999 are text. */
static bool is_number(struct str text, double *d)
{
	struct str digits = text;

	if (digits.n > 0 && digits.p[0] == '-')
		digits = str_skip(digits, 1);
	if (digits.n == 0 || digits.p[0] < '0' || digits.p[0] > '9')
		return false;
	if (digits.n > 1 && digits.p[0] == '0' && is_digit(digits.p[1]))
		return false;
	return num_parse_double(text, d) && *d - *d == 0;
}

static struct obs_attr typed(struct attr_args *attrs, const char *key,
			     struct str text)
{
	int64_t i;
	double d;

	if (str_is(text, "null"))
		return obs_text(key, NULL);
	if (str_is(text, "true") || str_is(text, "false"))
		return obs_bool(key, text.n == 4);
	if (is_number(text, &d))
		return num_parse_int(text, &i) ? obs_int(key, i)
					       : obs_double(key, d);
	return obs_text(key, keep_text(attrs, text));
}

void attr_args_put(struct attr_args *attrs, const char *key, struct value v)
{
	struct buf text = buf_new(LIMIT_STRING);
	struct err err = {0};

	if (json_text(&text, v, &err) < 0)
		die_err(&err);
	*place_of(attrs, key) = obs_json(key, keep_text(attrs, buf_str(&text)));
	buf_free(&text);
}

static const char *take_json(struct attr_args *attrs, const char *key,
			     struct str text)
{
	struct err err = {0};
	struct value v;

	if (json_parse(text, &attrs->arena, &v, &err) == ERR_MEMORY)
		die_err(&err);
	if (err.code < 0)
		return accepted;
	attr_args_put(attrs, key, v);
	return NULL;
}

const char *attr_args_take(struct attr_args *attrs, struct str text)
{
	const char *equals = text.n > 0 ? memchr(text.p, '=', text.n) : NULL;
	size_t n = equals != NULL ? (size_t)(equals - text.p) : 0;
	bool json = n > 0 && text.p[n - 1] == ':';
	const char *key;

	if (n <= (size_t)json || memchr(text.p, '\0', text.n) != NULL)
		return accepted;
	key = keep_text(attrs, str_make(text.p, n - json));
	text = str_make(equals + 1, text.n - n - 1);
	if (json)
		return take_json(attrs, key, text);
	*place_of(attrs, key) = typed(attrs, key, text);
	return NULL;
}

/* Take a complete line and clear it. */
static void take_line(struct attr_args *attrs, struct buf *line)
{
	struct str text = str_trim(buf_str(line));

	if (line->failed)
		warn("OBS_TRACE_FD: skipped a line longer than %zu bytes",
		     line->max);
	else if (text.n > 0 && attr_args_take(attrs, text) != NULL)
		warn("OBS_TRACE_FD: '%.*s' is not %s",
		     text.n > 80 ? 80 : (int)text.n, text.p, accepted);
	buf_clear(line);
}

void attr_args_take_bytes(struct attr_args *attrs, struct buf *line,
			  struct str bytes)
{
	while (bytes.n > 0) {
		const char *end = memchr(bytes.p, '\n', bytes.n);
		size_t n = end != NULL ? (size_t)(end - bytes.p) : bytes.n;

		buf_put(line, bytes.p, n);
		if (end != NULL)
			take_line(attrs, line);
		n += end != NULL;
		bytes = str_skip(bytes, n);
	}
}

void attr_args_end_bytes(struct attr_args *attrs, struct buf *line)
{
	take_line(attrs, line);
}
