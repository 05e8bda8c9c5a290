#include "fmt/json/json_read.h"

#include <stdlib.h>

#include "fmt/json/json_tree.h"

#define TOP_MAX MIB /* the text of a rollout id */

enum mode { MODE_START, MODE_LIST, MODE_LINES, MODE_END };

/* What is done with the value of a sample's key. */
enum use { USE_BUILD, USE_SKIP, USE_SUM, USE_SAMPLES, USE_ID };

/* Where an object stands: a sample; the first of all, which may be the one
 * around the samples; the rest of that one, after them. */
enum place { IN_SAMPLE, IN_TOP, IN_TAIL };

enum { LIST_FOUND = 2 }; /* the elements of "samples" are next */

struct json_reader {
	struct json_tree tree;
	const struct value_filter *filter;
	enum mode mode;
	enum json_shape shape;
	bool in_object;	    /* the list of samples is inside the top object */
	bool first;	    /* no element of that list was read yet */
	bool may_be_lines;  /* the first value is an object */
	bool failed_line;   /* the next call goes on after its end */
	int64_t start_line; /* of the top-level value being read */

	struct arena top;
	struct value rollout_id;
};

/* The value just pushed is the rollout id: keep it beyond its sample. */
static void keep_rollout_id(struct json_reader *r)
{
	struct value v = r->tree.pending[r->tree.count - 1];
	bool text = v.kind == VALUE_STR || v.kind == VALUE_BIGINT;

	if (text)
		v.p = arena_str(&r->top, value_text(v)).p;
	if (v.kind == VALUE_SKIPPED || (text && v.p == NULL))
		v = (struct value){.kind = VALUE_ABSENT};
	r->rollout_id = v;
}

static enum use use_of(const struct json_reader *r, struct str key,
		       enum place place)
{
	if (place != IN_SAMPLE && str_is(key, "samples"))
		return USE_SAMPLES;
	if (place != IN_SAMPLE && str_is(key, "rollout_id"))
		return USE_ID;
	if (place == IN_TAIL)
		return USE_SKIP;
	if (r->filter == NULL || value_filter_wants(r->filter, key))
		return USE_BUILD;
	return str_eq(key, r->filter->summed) ? USE_SUM : USE_SKIP;
}

static int read_used(struct json_reader *r, enum use use)
{
	int rc;

	if (use == USE_BUILD)
		return json_tree_read(&r->tree);
	if (use == USE_ID) {
		rc = json_tree_read_scalar(&r->tree);
		if (rc == 0)
			keep_rollout_id(r);
		return rc;
	}
	r->tree.payload = true;
	rc = use == USE_SUM ? json_tree_read_sum(&r->tree)
			    : json_tree_skip(&r->tree);
	r->tree.payload = false;
	return rc;
}

/* A key and its value: 1, or LIST_FOUND before the elements of samples. */
static int read_pair(struct json_reader *r, enum place place)
{
	int c = json_token_peek(&r->tree.t, true);
	struct str key;
	enum use use;
	int rc;

	if (c != '"')
		return json_token_unexpected(&r->tree.t, c, "a key");
	rc = json_token_string(&r->tree.t, true, &key);
	if (rc != 0)
		return rc;
	use = use_of(r, key, place);
	rc = json_tree_push_text(&r->tree, VALUE_STR, key);
	if (rc == 0)
		rc = json_tree_colon(&r->tree);
	if (rc != 0)
		return rc;
	if (use != USE_SAMPLES) {
		rc = read_used(r, use);
		return rc != 0 ? rc : 1;
	}
	c = json_token_peek(&r->tree.t, true);
	if (c != '[' && place == IN_TOP) { /* whoever asked finds no samples */
		rc = read_used(r, USE_SKIP);
		return rc != 0 ? rc : 1;
	}
	if (c != '[' || place == IN_TAIL)
		return json_token_unexpected(&r->tree.t, c,
					     "one list of samples");
	r->tree.t.p++;
	return LIST_FOUND;
}

/* The pairs of an object up to its closing brace, which is left: 1, or
 * LIST_FOUND. */
static int read_pairs(struct json_reader *r, enum place place)
{
	for (;;) {
		int rc = read_pair(r, place);
		int c;

		if (rc != 1)
			return rc;
		c = json_token_peek(&r->tree.t, true);
		if (c == '}')
			return 1;
		if (c != ',')
			return json_token_unexpected(&r->tree.t, c,
						     "',' or '}'");
		r->tree.t.p++;
		if (place == IN_TAIL)
			r->tree.count = 0;
	}
}

/* An object whose brace is next, pushed: 1, or LIST_FOUND. */
static int read_object(struct json_reader *r, enum place place)
{
	int rc = json_tree_open(&r->tree, true);

	if (rc == 0)
		rc = json_token_peek(&r->tree.t, true) == '}'
			     ? 1
			     : read_pairs(r, place);
	if (rc != 1)
		return rc;
	rc = json_tree_close(&r->tree);
	return rc != 0 ? rc : 1;
}

/* Documents and lines ---------------------------------------------------- */

/* The list of samples has ended, its bracket is next. */
static int end_list(struct json_reader *r)
{
	int c, rc;

	r->tree.t.p++;
	if (r->in_object) {
		c = json_token_peek(&r->tree.t, true);
		if (c == ',') {
			r->tree.t.p++;
			rc = read_pairs(r, IN_TAIL);
			if (rc != 1)
				return rc;
			c = json_token_peek(&r->tree.t, true);
		}
		if (c != '}')
			return json_token_unexpected(&r->tree.t, c,
						     "',' or '}'");
		r->tree.t.p++;
	}
	c = json_token_peek(&r->tree.t, false);
	if (c != JSON_TOKEN_END)
		return json_token_unexpected(&r->tree.t, c,
					     "nothing after the samples");
	return 0;
}

/* The next element of the list of samples: 1, 0 at its end. */
static int next_element(struct json_reader *r)
{
	int c = json_token_peek(&r->tree.t, true);
	int rc;

	if (c == ']')
		return end_list(r);
	if (!r->first) {
		if (c != ',')
			return json_token_unexpected(&r->tree.t, c,
						     "',' or ']'");
		r->tree.t.p++;
		c = json_token_peek(&r->tree.t, true);
	}
	r->first = false;
	if (c == '{')
		return read_object(r, IN_SAMPLE);
	rc = json_tree_read_scalar(&r->tree);
	return rc != 0 ? rc : 1;
}

/* A sample of JSONL, which has its line for itself. */
static int end_sample(struct json_reader *r)
{
	int rc = r->tree.t.one_line ? json_token_end_line(&r->tree.t) : 0;

	return rc != 0 ? rc : 1;
}

static int next_line(struct json_reader *r)
{
	int rc = r->failed_line ? json_token_skip_line(&r->tree.t) : 0;
	int c;

	r->failed_line = false;
	if (rc != 0)
		return rc;
	c = json_token_peek(&r->tree.t, false);
	r->start_line = r->tree.t.line;
	if (c == JSON_TOKEN_END)
		return 0;
	if (c != '{')
		return json_token_unexpected(&r->tree.t, c, "an object");
	rc = read_object(r, IN_SAMPLE);
	return rc == 1 ? end_sample(r) : rc;
}

/* The first top-level value tells what the input is. */
static int start(struct json_reader *r)
{
	int c = json_token_peek(&r->tree.t, false);
	int rc;

	if (c == 0xef) {
		rc = json_token_skip_bom(&r->tree.t);
		if (rc != 0)
			return rc;
		c = json_token_peek(&r->tree.t, false);
	}
	r->start_line = r->tree.t.line;
	r->first = true;
	if (c == '[') {
		r->tree.t.p++;
		r->mode = MODE_LIST;
		r->shape = JSON_ARRAY;
		return next_element(r);
	}
	if (c != '{')
		return json_token_unexpected(&r->tree.t, c, "'{' or '['");
	r->may_be_lines = true;
	rc = read_object(r, IN_TOP);
	if (rc == 1) {
		r->mode = MODE_LINES;
		r->tree.t.by_line = true;
		r->tree.t.one_line = r->tree.t.line == r->start_line;
		return end_sample(r);
	}
	if (rc != LIST_FOUND)
		return rc;
	r->mode = MODE_LIST;
	r->shape = JSON_SAMPLES;
	r->in_object = true;
	r->tree.count = r->tree.depth = 0;
	return next_element(r);
}

/*
 * After an error, is there a next line to go on with? There is when the bad
 * value began on the line where it failed, and when it ran into the brace
 * that begins a later line, since then the line before it was cut short. But
 * a first value that the end of the input cuts short is a torn document.
 */
static bool find_next_line(struct json_reader *r, struct err *err)
{
	bool same_line = r->tree.t.line == r->start_line;
	bool at_end = r->tree.t.p == r->tree.t.end &&
		      json_token_refill(&r->tree.t) != 0;
	bool at_brace = !same_line && !at_end && *r->tree.t.p == '{' &&
			r->tree.t.first == json_token_offset(&r->tree.t);

	if (at_end && r->mode == MODE_START)
		return false;
	if (!same_line && !at_brace)
		return false;
	r->failed_line = same_line;
	r->tree.t.by_line = r->tree.t.one_line = true;
	if (at_brace)
		err_set(err, ERR_INPUT, "the line ends inside a value");
	err->unit = ERR_LINE;
	err->at = r->start_line;
	return true;
}

/* After an error, decide how reading goes on. Returns the error. */
static int fail(struct json_reader *r, struct err *err)
{
	bool by_line = (err->code == ERR_INPUT || err->code == ERR_LIMIT) &&
		       (r->mode == MODE_LINES ||
			(r->mode == MODE_START && r->may_be_lines));

	r->mode = by_line && find_next_line(r, err) ? MODE_LINES : MODE_END;
	return err->code;
}

int json_next_sample(struct json_reader *r, struct arena *a,
		     struct value *sample, struct err *err)
{
	int rc = 0;

	r->tree.t.err = err;
	r->tree.arena = a;
	r->tree.payload = false;
	r->tree.count = r->tree.depth = 0;
	if (r->mode == MODE_START)
		rc = start(r);
	else if (r->mode == MODE_LIST)
		rc = next_element(r);
	else if (r->mode == MODE_LINES)
		rc = next_line(r);
	if (rc < 0)
		return fail(r, err);
	if (rc == 0)
		r->mode = MODE_END;
	else
		*sample = r->tree.pending[0];
	return rc;
}

bool json_goes_on(const struct json_reader *r)
{
	return r->mode == MODE_LINES;
}

enum json_shape json_shape(const struct json_reader *r)
{
	return r->shape;
}

struct value json_rollout_id(const struct json_reader *r)
{
	return r->rollout_id;
}

/* Opening and closing ---------------------------------------------------- */

struct json_reader *json_open(struct byte_source *source,
			      const struct value_filter *filter)
{
	struct json_reader *r = malloc(sizeof(*r));

	if (r == NULL)
		return NULL;
	*r = (struct json_reader){.filter = filter, .top = arena_new(TOP_MAX)};
	json_tree_init(&r->tree, source);
	return r;
}

void json_close(struct json_reader *r)
{
	if (r == NULL)
		return;
	json_tree_free(&r->tree);
	arena_free(&r->top);
	free(r);
}

int json_parse_lean(struct str text, const struct str *lean, size_t lean_count,
		    struct arena *a, struct value *v, size_t *used,
		    struct err *err)
{
	struct text_source source = text_source_of(text);
	struct json_tree tree;
	int c, rc;

	json_tree_init(&tree, &source.source);
	tree.t.err = err;
	tree.arena = a;
	tree.lean = lean;
	tree.lean_count = lean_count;
	c = json_token_peek(&tree.t, true);
	rc = c == 0xef ? json_token_skip_bom(&tree.t) : 0;
	if (rc == 0)
		rc = json_tree_read(&tree);
	if (rc == 0 && used != NULL) {
		*used = (size_t)json_token_offset(&tree.t);
	} else if (rc == 0) {
		c = json_token_peek(&tree.t, false);
		if (c != JSON_TOKEN_END)
			rc = json_token_unexpected(&tree.t, c,
						   "nothing after the value");
	}
	if (rc == 0)
		*v = tree.pending[0];
	json_tree_free(&tree);
	return rc;
}

int json_parse(struct str text, struct arena *a, struct value *v,
	       struct err *err)
{
	return json_parse_lean(text, NULL, 0, a, v, NULL, err);
}
