#include "fmt/json/json_tree.h"

#include <stdlib.h>

#include "base/array.h"
#include "fmt/value/value_make.h"

/* Pending values; an eighth of a built sample's maximum. */
#define PENDING_MAX (LIMIT_SAMPLE / 8 / sizeof(struct value))

/* A longer line is not examined again. */
#define LINE_KEPT (8 * MIB)

/* An open container. */
struct frame {
	size_t first; /* of its values in pending */
	bool dict;
};

void json_tree_init(struct json_tree *tree, struct byte_source *source)
{
	*tree = (struct json_tree){.t = {.source = source,
					 .line = 1,
					 .text = buf_new(LIMIT_STRING),
					 .kept = buf_new(LINE_KEPT)}};
}

void json_tree_free(struct json_tree *tree)
{
	buf_free(&tree->t.text);
	buf_free(&tree->t.kept);
	free(tree->pending);
	free(tree->frames);
}

int json_tree_no_memory(struct json_tree *tree)
{
	int code = arena_error(tree->arena, tree->t.err);
	struct err why = *tree->t.err;

	return code == ERR_LIMIT
		       ? json_token_error(&tree->t, code, "%s", why.text)
		       : code;
}

int json_tree_push(struct json_tree *tree, struct value v)
{
	if (tree->count == PENDING_MAX)
		return json_token_error(&tree->t, ERR_LIMIT,
					"a value of more than %zu "
					"elements" ERR_RAISE(LIMIT_SAMPLE),
					PENDING_MAX);
	if (!ARRAY_GROW(tree->pending, tree->count, tree->cap))
		return err_memory(tree->t.err);
	tree->pending[tree->count++] = v;
	return 0;
}

/* A text in a block or in the token buffer, as a value. */
static int keep_text(struct json_tree *tree, enum value_kind kind, struct str s,
		     struct value *v)
{
	*v = (struct value){.kind = (uint8_t)kind, .n = (uint32_t)s.n};
	/* Tokens that span blocks were assembled in t.text. */
	v->p = tree->borrow && s.p != tree->t.text.p
		       ? s.p
		       : arena_str(tree->arena, s).p;
	return v->p == NULL ? json_tree_no_memory(tree) : 0;
}

int json_tree_push_text(struct json_tree *tree, enum value_kind kind,
			struct str s)
{
	struct value v;
	int rc = keep_text(tree, kind, s, &v);

	return rc != 0 ? rc : json_tree_push(tree, v);
}

static int too_deep(struct json_tree *tree)
{
	if (tree->payload)
		return json_token_error(
			&tree->t, ERR_LIMIT,
			"nested deeper than %d levels" ERR_RAISE(LIMIT_STACK),
			LIMIT_STACK);
	return json_token_error(
		&tree->t, ERR_LIMIT,
		"nested deeper than %d levels" ERR_RAISE(LIMIT_DEPTH),
		LIMIT_DEPTH);
}

int json_tree_open(struct json_tree *tree, bool dict)
{
	if (tree->depth == (tree->payload ? LIMIT_STACK : LIMIT_DEPTH))
		return too_deep(tree);
	if (!ARRAY_GROW(tree->frames, tree->depth, tree->frame_cap))
		return err_memory(tree->t.err);
	tree->frames[tree->depth++] = (struct frame){tree->count, dict};
	tree->t.p++;
	return 0;
}

/* Close the innermost container, whose end is next, into one value. */
int json_tree_close(struct json_tree *tree)
{
	struct frame frame = tree->frames[--tree->depth];
	uint32_t n = (uint32_t)(tree->count - frame.first);
	struct value v;

	tree->t.p++;
	if (tree->arena == NULL)
		return 0;
	v = value_new(tree->arena, frame.dict ? VALUE_DICT : VALUE_LIST, n);
	if (v.kind == VALUE_ABSENT)
		return json_tree_no_memory(tree);
	if (n > 0)
		value_push_all(tree->arena, v, tree->pending + frame.first, n);
	tree->count = frame.first;
	return json_tree_push(tree, v);
}

int json_tree_colon_slow(struct json_tree *tree)
{
	return json_token_take(&tree->t, ':', "':'");
}

static bool is_lean(const struct json_tree *tree, struct str key)
{
	for (size_t i = 0; i < tree->lean_count; i++)
		if (str_eq(tree->lean[i], key))
			return true;
	return false;
}

static int take_key(struct json_tree *tree)
{
	struct value key;
	int c = json_token_peek(&tree->t, true);
	int rc;

	if (c != '"')
		return json_token_unexpected(&tree->t, c, "a key");
	rc = tree->arena != NULL ? json_tree_scalar(tree, c, &key)
				 : json_token_string(&tree->t, false, NULL);
	if (rc == 0 && tree->arena != NULL) {
		tree->skip_next = is_lean(tree, value_text(key));
		rc = json_tree_push(tree, key);
	}
	return rc != 0 ? rc : json_tree_colon(tree);
}

int json_tree_scalar(struct json_tree *tree, int c, struct value *v)
{
	struct json_tokens *t = &tree->t;
	const char *end = c == '"' ? json_plain_string(t->p, t->end, v) : NULL;
	struct str text;
	int rc = 0;

	if (end != NULL) {
		t->p = end;
		return tree->borrow
			       ? 0
			       : keep_text(tree, VALUE_STR, value_text(*v), v);
	}
	if (c == '"') {
		rc = json_token_string(t, true, &text);
		return rc != 0 ? rc : keep_text(tree, VALUE_STR, text, v);
	}
	rc = json_token_scalar(t, true, v);
	if (rc != 0 || v->kind != VALUE_BIGINT)
		return rc;
	return keep_text(tree, VALUE_BIGINT, value_text(*v), v);
}

static int take_scalar(struct json_tree *tree, int c)
{
	struct value v;
	int rc;

	if (tree->arena == NULL)
		return c == '"' ? json_token_string(&tree->t, false, NULL)
				: json_token_scalar(&tree->t, false, &v);
	rc = json_tree_scalar(tree, c, &v);
	return rc != 0 ? rc : json_tree_push(tree, v);
}

/* After a value: 1 if the containers above floor are closed, 0 if another value
 * follows. */
static int after_value(struct json_tree *tree, size_t floor)
{
	while (tree->depth > floor) {
		bool dict = tree->frames[tree->depth - 1].dict;
		int rc = json_token_comma(&tree->t, dict ? '}' : ']');

		if (rc == 0)
			return dict ? take_key(tree) : 0;
		if (rc == 1)
			rc = json_tree_close(tree);
		if (rc != 0)
			return rc;
	}
	return 1;
}

/* A container whose bracket c is next: 1 if it is empty, 0 if its first value
 * is next. */
static int enter(struct json_tree *tree, int c)
{
	bool dict = c == '{';
	int rc = json_tree_open(tree, dict);

	if (rc != 0)
		return rc;
	c = json_token_peek(&tree->t, true);
	if (c == (dict ? '}' : ']')) {
		rc = json_tree_close(tree);
		return rc != 0 ? rc : 1;
	}
	return dict ? take_key(tree) : 0;
}

/* One complete value; it is pushed unless skipping. */
int json_tree_read(struct json_tree *tree)
{
	size_t floor = tree->depth;
	int rc = 0;

	while (rc == 0) {
		int c = json_token_peek(&tree->t, true);

		if (tree->skip_next) {
			tree->skip_next = false;
			rc = json_tree_skip(tree);
			if (rc != 0)
				return rc;
		} else if (c == '{' || c == '[') {
			rc = enter(tree, c);
			if (rc <= 0)
				continue;
		} else {
			rc = c < 0 ? json_token_unexpected(&tree->t, c,
							   "a value")
				   : take_scalar(tree, c);
			if (rc != 0)
				return rc;
		}
		rc = after_value(tree, floor);
	}
	return rc < 0 ? rc : 0;
}

int json_tree_skip(struct json_tree *tree)
{
	struct arena *kept = tree->arena;
	int rc;

	tree->arena = NULL;
	rc = json_tree_read(tree);
	tree->arena = kept;
	if (rc != 0 || kept == NULL)
		return rc;
	return json_tree_push(tree, (struct value){.kind = VALUE_SKIPPED});
}

/* Add the next number; false if the list is not a flat list of numbers. */
static int add_number(struct json_tree *tree, struct value_skipped *sum,
		      bool *flat)
{
	int c = json_token_peek(&tree->t, true);
	struct value v;
	int rc;

	if (c < 0 || c == '{' || c == '[' || c == '"') {
		*flat = false;
		return json_tree_skip(tree);
	}
	rc = json_token_scalar(&tree->t, true, &v);
	if (rc != 0)
		return rc;
	sum->count++;
	if (v.kind == VALUE_INT)
		sum->sum += (double)v.i;
	else if (v.kind == VALUE_FLOAT)
		sum->sum += v.f;
	else if (v.kind == VALUE_BOOL)
		sum->sum += v.b;
	else
		*flat = false;
	return 0;
}

static int sum_list(struct json_tree *tree, struct value_skipped *sum,
		    bool *flat)
{
	size_t floor = tree->depth;
	struct arena *kept = tree->arena;
	int rc;

	tree->arena = NULL;
	rc = enter(tree, '[');
	while (rc == 0) {
		rc = add_number(tree, sum, flat);
		if (rc == 0)
			rc = after_value(tree, floor);
	}
	tree->arena = kept;
	return rc < 0 ? rc : 0;
}

/* A scalar is built, a container skipped. */
int json_tree_read_scalar(struct json_tree *tree)
{
	int c = json_token_peek(&tree->t, true);

	return c == '{' || c == '[' ? json_tree_skip(tree)
				    : json_tree_read(tree);
}

/* The same, but a flat list of numbers keeps its count and sum. */
int json_tree_read_sum(struct json_tree *tree)
{
	struct value v = {.kind = VALUE_SKIPPED};
	struct value_skipped sum = {0};
	bool flat = true;
	int rc;

	if (json_token_peek(&tree->t, true) != '[')
		return json_tree_read_scalar(tree);
	rc = sum_list(tree, &sum, &flat);
	if (rc == 0 && flat) {
		v.skipped = arena_alloc(tree->arena, sizeof(sum));
		if (v.skipped == NULL)
			return json_tree_no_memory(tree);
		*v.skipped = sum;
	}
	return rc != 0 ? rc : json_tree_push(tree, v);
}
