#include "fmt/json/json_read.h"

#include <stdlib.h>

#include "fmt/json/json_line.h"
#include "fmt/json/json_tree.h"

#define TOP_MAX MIB /* the text of a rollout id */

enum mode { MODE_START, MODE_LIST, MODE_LINES, MODE_END };

/* How to read the value of a sample's key. */
enum use { USE_BUILD, USE_SKIP, USE_SUM, USE_SAMPLES, USE_ID };

/* The role of an object: a sample; the first of all, which may enclose the
 * samples; the rest of that one, after them. */
enum json_place { IN_SAMPLE, IN_TOP, IN_TAIL };

enum { LIST_FOUND = 2 }; /* the elements of "samples" are next */

struct json_reader {
	struct json_tree tree;
	const struct value_filter *filter;
	enum mode mode;
	enum json_shape shape;
	bool in_object;	    /* the list of samples is inside the top object */
	bool first;	    /* no element of that list has been read */
	bool may_be_lines;  /* the first value is an object */
	bool failed_line;   /* the next call continues after its end */
	bool same_line;	    /* the next object may be on the same line */
	struct buf line;    /* the line of a bad object */
	size_t line_at;	    /* look for objects after this */
	uint64_t line_work; /* bytes examined for that */
	char salvaged;	    /* see json_salvaged */
	int64_t start_line; /* of the current top-level value */
	bool has_rest;	    /* the source is not at its end */

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
		       enum json_place place)
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
static int read_pair(struct json_reader *r, enum json_place place)
{
	struct str key;
	enum use use;
	int rc = json_token_key(&r->tree.t, &key);
	int c;

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
	if (c != '[' && place == IN_TOP) { /* the caller finds no samples */
		rc = read_used(r, USE_SKIP);
		return rc != 0 ? rc : 1;
	}
	if (c != '[' || place == IN_TAIL)
		return json_token_unexpected(&r->tree.t, c,
					     "one list of samples");
	r->tree.t.p++;
	return LIST_FOUND;
}

/* The pairs of an object up to its closing brace, which is not consumed: 1, or
 * LIST_FOUND. */
static int read_pairs(struct json_reader *r, enum json_place place)
{
	for (;;) {
		int rc = read_pair(r, place);

		if (rc != 1)
			return rc;
		rc = json_token_comma(&r->tree.t, '}');
		if (rc != 0)
			return rc;
		if (place == IN_TAIL)
			r->tree.count = 0;
	}
}

/* Push the object whose brace is next: 1, or LIST_FOUND. */
static int read_object(struct json_reader *r, enum json_place place)
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
		rc = json_token_comma(&r->tree.t, '}');
		if (rc == 0)
			rc = read_pairs(r, IN_TAIL);
		if (rc != 1)
			return rc;
		r->tree.t.p++;
	}
	c = json_token_peek(&r->tree.t, false);
	if (c < 0 && c != JSON_TOKEN_END)
		return c;
	r->has_rest = c != JSON_TOKEN_END;
	return 0;
}

/* The next element of the list of samples: 1, 0 at its end. */
static int next_element(struct json_reader *r)
{
	int rc = r->first ? json_token_peek(&r->tree.t, true) == ']'
			  : json_token_comma(&r->tree.t, ']');

	if (rc != 0)
		return rc < 0 ? rc : end_list(r);
	r->first = false;
	if (json_token_peek(&r->tree.t, true) == '{')
		return read_object(r, IN_SAMPLE);
	rc = json_tree_read_scalar(&r->tree);
	return rc != 0 ? rc : 1;
}

/* A sample of JSONL. The rest of its line is checked in the next call, so that
 * an error there does not lose the sample. */
static int end_sample(struct json_reader *r)
{
	int rc = r->tree.t.one_line ? json_token_end_line(&r->tree.t) : 0;

	r->same_line = rc == ERR_INPUT;
	if (r->same_line)
		*r->tree.t.err = (struct err){0};
	return rc == 0 || r->same_line ? 1 : rc;
}

/* Objects behind a bad one ----------------------------------------------- */

/* Read an object from the kept line: 1 if it is complete. */
static int read_kept(struct json_reader *r, struct str text, size_t *used)
{
	struct text_source source = text_source_of(text);
	struct json_tokens tokens = r->tree.t;
	int rc;

	r->tree.t = (struct json_tokens){.source = &source.source,
					 .line = tokens.line,
					 .one_line = true,
					 .text = tokens.text,
					 .err = tokens.err};
	r->tree.count = r->tree.depth = 0;
	rc = json_token_peek(&r->tree.t, true);
	if (rc == '{')
		rc = read_object(r, IN_SAMPLE);
	*used = (size_t)json_token_offset(&r->tree.t);
	tokens.text = r->tree.t.text;
	r->tree.t = tokens;
	return rc;
}

/* The last non-blank byte. */
static char last_byte(struct str text)
{
	text = str_trim(text);
	return text.n > 0 ? text.p[text.n - 1] : ' ';
}

/* The next complete object on the kept line: 1, or 0 if there is none. */
static int next_kept(struct json_reader *r)
{
	struct str line = buf_str(&r->line);

	for (;;) {
		size_t at = json_next_object(line, r->line_at, r->line_work);
		size_t used;
		int rc;

		if (at >= line.n)
			break;
		rc = read_kept(r, str_skip(line, at), &used);
		r->line_at = at;
		r->line_work += used;
		if (rc == ERR_MEMORY)
			return rc;
		if (rc != 1 || !json_ends_object(str_skip(line, at + used)))
			continue;
		r->salvaged = last_byte(str_make(line.p, at));
		r->line_at = at + used - 1;
		return 1;
	}
	buf_free(&r->line);
	r->line = buf_new(LIMIT_STRING);
	r->tree.count = r->tree.depth = 0;
	return 0;
}

/* Skip a bad line, and keep its text. */
static int pass_line(struct json_reader *r)
{
	int rc = json_token_skip_line(&r->tree.t);
	struct str line = json_token_line(&r->tree.t);

	r->failed_line = false;
	if (rc != 0)
		return rc;
	buf_clear(&r->line);
	buf_put(&r->line, line.p, line.n);
	r->line_at = 0;
	r->line_work = 0;
	return r->line.failed ? err_memory(r->tree.t.err) : 0;
}

/* Lines -------------------------------------------------------------------- */

static int next_line(struct json_reader *r)
{
	bool same_line = r->same_line;
	int rc = r->failed_line ? pass_line(r) : 0;
	int c;

	r->same_line = false;
	if (rc == 0 && r->line.n > 0)
		rc = next_kept(r);
	if (rc != 0)
		return rc;
	c = json_token_peek(&r->tree.t, false);
	r->start_line = r->tree.t.line;
	if (c == JSON_TOKEN_END)
		return 0;
	json_token_keep_line(&r->tree.t);
	if (c != '{')
		return json_token_unexpected(&r->tree.t, c,
					     same_line ? "the end of the line"
						       : "an object");
	rc = read_object(r, IN_SAMPLE);
	return rc == 1 ? end_sample(r) : rc;
}

/* The first top-level value determines the kind of input. */
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
	json_token_keep_line(&r->tree.t);
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
 * After an error, is there a next line to continue with? Yes if the bad value
 * began on the line where it failed, or if it ran into the brace that begins a
 * later line, since then the line before was truncated. But a first value
 * truncated by the end of the input is a torn document.
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

/* After an error, decide how to continue. Returns the error. */
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
	r->salvaged = 0;
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

char json_salvaged(const struct json_reader *r)
{
	return r->salvaged;
}

bool json_can_continue(const struct json_reader *r)
{
	return r->mode == MODE_LINES;
}

int json_check_rest(const struct json_reader *r, struct err *err)
{
	if (!r->has_rest)
		return 0;
	err_at(err, ERR_INPUT, ERR_BYTE, json_token_offset(&r->tree.t),
	       "what follows the dump, from here, is not read; give each dump "
	       "as a file of its own");
	return 1;
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
	*r = (struct json_reader){.filter = filter,
				  .line = buf_new(LIMIT_STRING),
				  .top = arena_new(TOP_MAX)};
	json_tree_init(&r->tree, source);
	return r;
}

void json_close(struct json_reader *r)
{
	if (r == NULL)
		return;
	json_tree_free(&r->tree);
	buf_free(&r->line);
	arena_free(&r->top);
	free(r);
}
