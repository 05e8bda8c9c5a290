#include "fmt/prom/series_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_check.h"
#include "fmt/prom/series_object.h"

enum {
	END = JSON_TOKEN_END,
	READY = 1, /* inside a series */
	NESTED_MAX = 8
};

/* The context of the next byte. */
enum place { AT_TOP, IN_OBJECT, IN_LIST };

enum key {
	STATUS,
	ERROR,
	PARTIAL,
	WARNINGS,
	RESULT_TYPE,
	INSIDE,
	METRIC,
	VALUE,
	VALUES,
	TIMES,
	NATIVE,
	OTHER
};

static const struct {
	struct str name;
	enum key key;
} keys[] = {
	{STR("warnings"), WARNINGS}, {STR("resultType"), RESULT_TYPE},
	{STR("status"), STATUS},     {STR("error"), ERROR},
	{STR("isPartial"), PARTIAL}, {STR("data"), INSIDE},
	{STR("result"), INSIDE},     {STR("metric"), METRIC},
	{STR("values"), VALUES},     {STR("value"), VALUE},
	{STR("timestamps"), TIMES},  {STR("histograms"), NATIVE},
	{STR("histogram"), NATIVE},
};

struct series_json {
	struct json_tree tree;
	struct series_json_found found;

	enum place places[NESTED_MAX];
	bool any[NESTED_MAX]; /* a member precedes it */
	int depth;
	bool skips; /* to the next document */
	bool understood;
	bool unlabelled; /* the result is a scalar or a string */
	bool failed;	 /* the server reports a failure */
	char why[128];

	struct series_object series; /* being read */
	uint64_t number;
	size_t given; /* its samples */
	bool ready;
};

struct series_json *series_json_open(struct byte_source *source)
{
	struct series_json *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	json_tree_init(&r->tree, source);
	r->series = series_object_new(&r->tree);
	r->tree.arena = &r->series.text;
	return r;
}

void series_json_close(struct series_json *r)
{
	if (r == NULL)
		return;
	json_tree_free(&r->tree);
	series_object_free(&r->series);
	free(r);
}

uint64_t series_json_number(const struct series_json *r)
{
	return r->number;
}

const struct series_json_found *series_json_found(struct series_json *r)
{
	r->found.bad = r->series.bad;
	return &r->found;
}

static void clear_series(struct series_json *r)
{
	series_object_clear(&r->series);
	r->ready = false;
	r->given = 0;
}

/* The answer around the series -------------------------------------------- */

static int push(struct series_json *r, enum place place)
{
	if (r->depth == NESTED_MAX - 1)
		return json_token_error(&r->tree.t, ERR_INPUT,
					"series nested inside series");
	r->depth++;
	r->places[r->depth] = place;
	r->any[r->depth] = false;
	r->tree.t.p++;
	return 0;
}

/* A short value of the response; skipped is a container. */
static int take_value(struct series_json *r, struct value *v)
{
	int code = json_tree_read_scalar(&r->tree);

	if (code == 0)
		*v = r->tree.pending[--r->tree.count];
	return code;
}

static int skip_value(struct series_json *r)
{
	struct value ignored;
	int code;

	r->tree.payload = true;
	code = take_value(r, &ignored);
	r->tree.payload = false;
	return code;
}

/* The server's status fields. */
static int take_about(struct series_json *r, enum key key)
{
	struct value v = {0};
	int code = take_value(r, &v);

	if (code < 0)
		return code;
	if (key == STATUS) {
		r->failed |= value_is_str(v, "error");
		r->understood |= value_is_str(v, "success");
	} else if (key == RESULT_TYPE) {
		r->unlabelled |= value_is_str(v, "scalar") ||
				 value_is_str(v, "string");
	} else if (key == PARTIAL) {
		r->found.partial |= v.kind == VALUE_BOOL && v.b;
	} else if (v.kind == VALUE_STR) {
		snprintf(r->why, sizeof(r->why), "%.*s",
			 STR_ARG(value_text(v)));
	}
	return 0;
}

/* The warnings of the server, of which the first is kept. */
static int take_warnings(struct series_json *r)
{
	int code = json_tree_read(&r->tree);
	struct value v;

	if (code < 0)
		return code;
	v = r->tree.pending[--r->tree.count];
	if (v.kind != VALUE_LIST || v.items->n == 0)
		return 0;
	if (r->found.warnings == 0 && v.items->v[0].kind == VALUE_STR)
		snprintf(r->found.warning, sizeof(r->found.warning), "%.*s",
			 STR_ARG(value_text(v.items->v[0])));
	r->found.warnings += v.items->n;
	return 0;
}

/* The object or list that holds the series; none for a scalar result. */
static int take_inside(struct series_json *r)
{
	int c = json_token_peek(&r->tree.t, true);

	if (c == '{')
		return push(r, IN_OBJECT);
	if (c == '[')
		return push(r, IN_LIST);
	return skip_value(r);
}

static int take_member(struct series_json *r, enum key key)
{
	switch (key) {
	case STATUS:
	case ERROR:
	case PARTIAL:
	case RESULT_TYPE:
		return take_about(r, key);
	case WARNINGS:
		return take_warnings(r);
	case INSIDE:
		return take_inside(r);
	case METRIC:
		return series_object_metric(&r->series);
	case VALUE:
		return series_object_pair(&r->series);
	case VALUES:
	case TIMES:
		return series_object_list(&r->series, key == TIMES);
	case NATIVE:
		r->found.histograms++;
		return skip_value(r);
	default:
		return skip_value(r);
	}
}

static int take_key(struct series_json *r, enum key *key)
{
	struct str s;
	int code = json_token_key(&r->tree.t, &s);

	*key = OTHER;
	for (size_t i = 0; code == 0 && i < ARRAY_SIZE(keys); i++)
		if (str_eq(keys[i].name, s))
			*key = keys[i].key;
	return code == 0 ? json_tree_colon(&r->tree) : code;
}

/* The object of a series, or one around it, has ended. */
static int end_object(struct series_json *r)
{
	bool is_series = r->series.has_metric &&
			 (r->series.values.n > 0 || r->series.times.n > 0);

	if (!is_series) {
		r->understood |= r->series.has_metric;
		clear_series(r);
		return 0;
	}
	r->understood = true;
	if (r->series.values.n != r->series.times.n)
		return json_token_error(&r->tree.t, ERR_INPUT,
					"a series with %zu values and %zu "
					"timestamps",
					r->series.values.n, r->series.times.n);
	r->number++;
	if (r->series.name.n == 0) {
		r->found.unnamed++;
		clear_series(r);
		return 0;
	}
	r->ready = true;
	return READY;
}

/* The document has ended. */
static int end_document(struct series_json *r)
{
	bool failed = r->failed, understood = r->understood;
	bool unlabelled = r->unlabelled;

	r->failed = r->understood = r->unlabelled = false;
	if (failed)
		return err_set(r->tree.t.err, ERR_INPUT,
			       "the server answered with an error: %s", r->why);
	if (unlabelled)
		return err_set(r->tree.t.err, ERR_INPUT,
			       "the answer is a scalar or a string, not "
			       "metrics; query metrics by their names");
	if (understood)
		return 0;
	return err_set(r->tree.t.err, ERR_INPUT,
		       "this is JSON, not metrics; only answers of Prometheus "
		       "and exports of VictoriaMetrics can be read");
}

/* Leave an object or a list, whose end is next. */
static int pop(struct series_json *r)
{
	bool is_object = r->places[r->depth] == IN_OBJECT;
	int code = 0;

	r->tree.t.p++;
	r->depth--;
	if (is_object)
		code = end_object(r);
	if (code >= 0 && r->depth == 0 && end_document(r) < 0)
		return r->tree.t.err->code;
	return code;
}

/* The comma before another member, or the end: 1 if there is a member. */
static int next_member(struct series_json *r, char end)
{
	int code = r->any[r->depth] ? json_token_comma(&r->tree.t, end)
				    : json_token_peek(&r->tree.t, true) == end;

	r->any[r->depth] = true;
	return code < 0 ? code : code == 0;
}

static int step_object(struct series_json *r)
{
	int code = next_member(r, '}');
	enum key key = OTHER;

	if (code <= 0)
		return code < 0 ? code : pop(r);
	code = take_key(r, &key);
	return code < 0 ? code : take_member(r, key);
}

static int step_list(struct series_json *r)
{
	int code = next_member(r, ']');

	if (code <= 0)
		return code < 0 ? code : pop(r);
	if (json_token_peek(&r->tree.t, true) == '{')
		return push(r, IN_OBJECT);
	return skip_value(r);
}

static int step_top(struct series_json *r)
{
	int c = json_token_peek(&r->tree.t, false);

	if (c < 0)
		return c;
	if (c == 0xef)
		return json_token_skip_bom(&r->tree.t);
	r->understood = r->failed = r->unlabelled = false;
	snprintf(r->why, sizeof(r->why), "it does not say which");
	clear_series(r);
	if (c == '{')
		return push(r, IN_OBJECT);
	if (c != '[')
		return json_token_unexpected(&r->tree.t, c, "'{' or '['");
	return push(r, IN_LIST);
}

/* Skip to the next line that begins with a brace: 0, END or an error. */
static int skip_document(struct series_json *r)
{
	int c;

	do {
		int code = json_token_skip_line(&r->tree.t);

		if (code < 0)
			return code;
		c = json_token_peek(&r->tree.t, false);
	} while (c >= 0 && (c != '{' ||
			    r->tree.t.first != json_token_offset(&r->tree.t)));
	return c < 0 ? c : 0;
}

/* Read on until a series is ready: READY, END or an error. */
static int read_series(struct series_json *r)
{
	int code = 0;

	clear_series(r);
	if (r->skips)
		code = skip_document(r);
	r->skips = false;
	while (code == 0)
		code = r->places[r->depth] == AT_TOP	  ? step_top(r)
		       : r->places[r->depth] == IN_OBJECT ? step_object(r)
							  : step_list(r);
	if (code < 0 && code != END) {
		r->tree.depth = r->tree.count = 0;
		r->tree.payload = false;
		r->depth = 0;
		r->skips = true;
	}
	return code;
}

static struct prom_line sample_of(const struct series_json *r, size_t i)
{
	return (struct prom_line){.kind = PROM_SAMPLE,
				  .name = r->series.name,
				  .labels = r->series.labels,
				  .n_labels = r->series.n_labels,
				  .hash = r->series.hash,
				  .value = r->series.values.v[i],
				  .stamped = true,
				  .time = (long double)r->series.times.v[i]};
}

/* An export has null for a missing value. A bad sample has no time. */
static bool is_absent(const struct series_json *r, size_t i)
{
	return isnan(r->series.times.v[i]) ||
	       (!r->series.in_pairs && isnan(r->series.values.v[i]));
}

int series_json_next(struct series_json *r, struct prom_line *line,
		     struct err *err)
{
	int code;

	r->tree.t.err = err;
	for (;;) {
		while (r->ready && r->given < r->series.values.n)
			if (!is_absent(r, r->given++)) {
				*line = sample_of(r, r->given - 1);
				return 1;
			}
		code = read_series(r);
		if (code != READY)
			return code == END ? 0 : code;
	}
}

/* Detection --------------------------------------------------------------- */

/* The text from its first non-blank byte on. */
static struct str skip_blanks(struct str text)
{
	while (text.n > 0 && memchr(" \t\r\n", *text.p, 4) != NULL)
		text = str_skip(text, 1);
	return text;
}

/* After the quote that ends a string; empty if that is missing. */
static struct str skip_string(struct str text)
{
	size_t i = 1;

	for (; i < text.n && text.p[i] != '"'; i++)
		i += text.p[i] == '\\';
	return i < text.n ? str_skip(text, i + 1) : str_make("", 0);
}

int series_json_begins(struct str text)
{
	static const struct str bom = STR("\xef\xbb\xbf");
	bool list;

	if (text.n < bom.n && memcmp(text.p, bom.p, text.n) == 0)
		return -1;
	text = skip_blanks(str_skip_bom(text));
	if (text.n == 0)
		return -1;
	list = *text.p == '[';
	if (!list && *text.p != '{')
		return 0;
	text = skip_blanks(str_skip(text, 1));
	if (text.n == 0)
		return -1;
	if (list || *text.p != '"')
		return *text.p == '{';
	text = skip_blanks(skip_string(text));
	return text.n == 0 ? -1 : *text.p == ':';
}
