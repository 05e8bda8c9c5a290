/*
 * A text in memory as one JSON value.
 */
#include "fmt/json/json_read.h"
#include "fmt/json/json_tree.h"

/* Start over with a complete text; keep the allocations. */
static void start(struct json_tree *tree, struct str text,
		  struct byte_source *none)
{
	struct json_tokens *t = &tree->t;

	t->source = none;
	t->block = t->p = text.n > 0 ? text.p : NULL;
	t->end = text.n > 0 ? text.p + text.n : NULL;
	t->before = t->first = 0;
	t->line = 1;
	t->one_line = t->by_line = false;
	t->kept_from = NULL;
	tree->count = tree->depth = 0;
	tree->skip_next = tree->payload = false;
	buf_clear(&tree->t.text);
}

int json_tree_parse(struct json_tree *tree, struct str text, struct arena *a,
		    struct value *v, size_t *used, struct err *err)
{
	struct text_source none = text_source_of(str_make("", 0));
	int c, rc;

	start(tree, text, &none.source);
	tree->t.err = err;
	tree->arena = a;
	c = json_token_peek(&tree->t, true);
	rc = c == 0xef ? json_token_skip_bom(&tree->t) : 0;
	if (rc == 0)
		rc = tree->form != NULL ? json_form_read(tree, tree->form)
					: json_tree_read(tree);
	if (used != NULL) {
		*used = (size_t)json_token_offset(&tree->t);
	} else if (rc == 0) {
		c = json_token_peek(&tree->t, false);
		if (c != JSON_TOKEN_END)
			rc = json_token_unexpected(&tree->t, c,
						   "nothing after the value");
	}
	if (rc == 0)
		*v = tree->pending[0];
	return rc;
}

int json_parse_lean(struct str text, const struct str *lean, size_t lean_count,
		    struct arena *a, struct value *v, size_t *used,
		    struct err *err)
{
	struct json_tree tree;
	int rc;

	json_tree_init(&tree, NULL);
	tree.lean = lean;
	tree.lean_count = lean_count;
	rc = json_tree_parse(&tree, text, a, v, used, err);
	json_tree_free(&tree);
	return rc;
}

int json_parse(struct str text, struct arena *a, struct value *v,
	       struct err *err)
{
	return json_parse_lean(text, NULL, 0, a, v, NULL, err);
}
