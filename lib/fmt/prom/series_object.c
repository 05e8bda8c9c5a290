#include "fmt/prom/series_object.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"

/* Times of this or more, in milliseconds, are out of range. */
#define TIME_MAX 9e15

struct series_object series_object_new(struct json_tree *tree)
{
	return (struct series_object){.tree = tree,
				      .text = arena_new(LIMIT_LINE),
				      .escaped = buf_new(LIMIT_LINE)};
}

void series_object_free(struct series_object *o)
{
	arena_free(&o->text);
	buf_free(&o->escaped);
	free(o->labels);
	free(o->values.v);
	free(o->times.v);
}

void series_object_clear(struct series_object *o)
{
	arena_reset(&o->text);
	o->tree->count = 0;
	o->has_metric = o->in_pairs = false;
	o->name = str_make("", 0);
	o->n_labels = o->values.n = o->times.n = 0;
	o->hash = 0;
}

/* Labels ------------------------------------------------------------------ */

static int escape(struct series_object *o, struct str plain, struct str *s)
{
	buf_clear(&o->escaped);
	prom_escape(&o->escaped, plain);
	if (o->escaped.failed)
		return buf_error(&o->escaped, o->tree->t.err);
	*s = arena_str(&o->text, buf_str(&o->escaped));
	return s->p != NULL ? 0 : arena_error(&o->text, o->tree->t.err);
}

/* Add a label; the last of duplicate names counts, as in JSON. */
static int put_label(struct series_object *o, struct str name, struct str value)
{
	size_t i = 0;

	while (i < o->n_labels && !str_eq(o->labels[i].name, name))
		i++;
	if (i == LIMIT_LABELS)
		return json_token_error(
			&o->tree->t, ERR_LIMIT,
			"more than %d labels" ERR_RAISE(LIMIT_LABELS),
			LIMIT_LABELS);
	if (!ARRAY_GROW(o->labels, i, o->labels_cap))
		return err_memory(o->tree->t.err);
	o->labels[i] = prom_label_of(name, value);
	o->labels[i].hash = prom_label_hash(&o->labels[i]);
	o->n_labels += i == o->n_labels;
	return 0;
}

static int take_label(struct series_object *o, struct value key,
		      struct value value)
{
	struct str name = {0}, text = {0};

	if (value.kind != VALUE_STR)
		return json_token_error(&o->tree->t, ERR_INPUT,
					"a label's value is not a string");
	if (value_is_str(key, "__name__"))
		return escape(o, value_text(value), &o->name);
	if (escape(o, value_text(key), &name) < 0 ||
	    escape(o, value_text(value), &text) < 0)
		return o->tree->t.err->code;
	return put_label(o, name, text);
}

int series_object_metric(struct series_object *o)
{
	struct value v;
	int code = json_tree_read(o->tree);

	if (code < 0)
		return code;
	v = o->tree->pending[--o->tree->count];
	if (v.kind != VALUE_DICT)
		return json_token_error(
			&o->tree->t, ERR_INPUT,
			"\"metric\" is not an object of labels");
	o->n_labels = 0;
	o->hash = 0;
	o->name = str_make("", 0);
	for (uint32_t i = 0; code == 0 && i < v.items->n; i += 2)
		code = take_label(o, v.items->v[i], v.items->v[i + 1]);
	for (size_t i = 0; i < o->n_labels; i++)
		o->hash += o->labels[i].hash;
	o->has_metric = true;
	return code;
}

/* Samples ----------------------------------------------------------------- */

static int put_number(struct series_object *o, struct numbers *numbers,
		      double v)
{
	if (numbers->n == LIMIT_SERIES_SAMPLES)
		return json_token_error(
			&o->tree->t, ERR_LIMIT,
			"more than %d samples in one series; ask for a shorter "
			"range, or export with max_rows_per_line" ERR_RAISE(
				LIMIT_SERIES_SAMPLES),
			LIMIT_SERIES_SAMPLES);
	if (!ARRAY_GROW(numbers->v, numbers->n, numbers->cap))
		return err_memory(o->tree->t.err);
	numbers->v[numbers->n++] = v;
	return 0;
}

static bool is_infinity(struct str s, double *v)
{
	bool negative = str_starts(s, "-");

	*v = negative ? -INFINITY : INFINITY;
	s = str_skip(s, negative);
	return str_is(s, "Infinity");
}

/* A number, or a string that holds one; NaN for null, and for anything else,
 * which sets *bad. */
static int take_number(struct series_object *o, double *v, bool *bad)
{
	int c = json_token_peek(&o->tree->t, true);
	struct value value;
	struct str s = {0};
	int code;

	if (c == '"') {
		code = json_token_string(&o->tree->t, true, &s);
		if (code < 0 || prom_number(s, v) || is_infinity(s, v))
			return code;
		*v = (double)NAN;
		*bad = true;
		return 0;
	}
	if (c < 0 || c == '{' || c == '[')
		return json_token_unexpected(&o->tree->t, c, "a number");
	code = json_token_scalar(&o->tree->t, true, &value);
	if (code < 0)
		return code;
	*v = value.kind == VALUE_INT	 ? (double)value.i
	     : value.kind == VALUE_FLOAT ? value.f
					 : (double)NAN;
	*bad |= value.kind == VALUE_BOOL || value.kind == VALUE_BIGINT;
	return 0;
}

static int put_time(struct series_object *o, double ms)
{
	return put_number(o, &o->times,
			  fabs(ms) < TIME_MAX ? round(ms) : (double)NAN);
}

int series_object_pair(struct series_object *o)
{
	struct json_tokens *t = &o->tree->t;
	double seconds = 0, v = 0;
	bool bad = false;

	o->in_pairs = true;
	if (json_token_take(t, '[', "[SECONDS, VALUE]") < 0 ||
	    take_number(o, &seconds, &bad) < 0 ||
	    json_token_take(t, ',', "','") < 0 ||
	    take_number(o, &v, &bad) < 0 ||
	    json_token_take(t, ']', "']'") < 0 ||
	    put_time(o, bad ? (double)NAN : seconds * 1000) < 0 ||
	    put_number(o, &o->values, v) < 0)
		return o->tree->t.err->code;
	o->bad += isnan(o->times.v[o->times.n - 1]) ? 1 : 0;
	return 0;
}

/* An element of a list of values or of timestamps. */
static int take_element(struct series_object *o, bool times)
{
	bool bad = false;
	double v = 0;

	if (!times && json_token_peek(&o->tree->t, true) == '[')
		return series_object_pair(o);
	if (o->in_pairs)
		return json_token_unexpected(&o->tree->t,
					     json_token_peek(&o->tree->t, true),
					     "[SECONDS, VALUE]");
	if (take_number(o, &v, &bad) < 0)
		return o->tree->t.err->code;
	o->bad += bad || (times && !(fabs(v) < TIME_MAX));
	return times ? put_time(o, v) : put_number(o, &o->values, v);
}

int series_object_list(struct series_object *o, bool times)
{
	struct json_tokens *t = &o->tree->t;
	int code = json_token_take(t, '[', "'['");

	if (code == 0)
		code = json_token_peek(t, true) == ']';
	while (code == 0) {
		code = take_element(o, times);
		if (code == 0)
			code = json_token_comma(t, ']');
	}
	if (code < 0)
		return code;
	t->p++;
	return 0;
}
