#include "fmt/json/json_form.h"

#include "fmt/json/json_tree.h"
#include "fmt/value/value_make.h"

static size_t find_member(const struct json_form *form, struct str key)
{
	for (size_t i = 0; i < form->count; i++)
		if (str_eq(form->members[i].name, key))
			return i;
	return form->count;
}

static uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The same of less than eight: two halves, which may overlap. */
static bool same_few(const char *a, const char *b, size_t n)
{
	uint32_t x = 0, y = 0, u = 0, v = 0;
	size_t half = n >= 4 ? 4 : n >= 2 ? 2 : n;

	if (half == 4) {
		memcpy(&x, a, 4), memcpy(&y, b, 4);
		memcpy(&u, a + n - 4, 4), memcpy(&v, b + n - 4, 4);
	} else if (half == 2) {
		memcpy(&x, a, 2), memcpy(&y, b, 2);
		memcpy(&u, a + n - 2, 2), memcpy(&v, b + n - 2, 2);
	} else if (half == 1) {
		x = (unsigned char)*a, y = (unsigned char)*b;
	}
	return x == y && u == v;
}

/* Are these n bytes the same? A member's name has few: memcmp would cost a
 * call. */
static bool same_bytes(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	if (n < sizeof(uint64_t))
		return same_few(a, b, n);
	for (; i + sizeof(uint64_t) < n; i += sizeof(uint64_t))
		if (word_at(a + i) != word_at(b + i))
			return false;
	i = n - sizeof(uint64_t);
	return word_at(a + i) == word_at(b + i);
}

/* Consume the next key and its colon if it is this one, written as usual. */
static bool take_expected(struct json_tokens *t, struct str key)
{
	const char *p = t->p;

	if ((size_t)(t->end - p) < key.n + sizeof(" \"\":") - 1)
		return false;
	p += *p == ' ';
	if (*p != '"' || p[key.n + 1] != '"' || p[key.n + 2] != ':' ||
	    !same_bytes(p + 1, key.p, key.n))
		return false;
	t->p = p + key.n + 3;
	return true;
}

/* The next key, valid until the next byte is read. */
static int take_key(struct json_tree *tree, struct str *key)
{
	int c = json_token_peek(&tree->t, true);

	return c == '"' ? json_token_string(&tree->t, true, key)
			: json_token_unexpected(&tree->t, c, "a key");
}

/* The member with the next key, or form->count; usually the one after the
 * last. */
static int take_member(struct json_tree *tree, const struct json_form *form,
		       size_t *member)
{
	size_t next = *member + 1 < form->count ? *member + 1 : 0;
	struct str key;
	int rc;

	if (take_expected(&tree->t, form->members[next].name)) {
		*member = next;
		return 0;
	}
	rc = take_key(tree, &key);
	if (rc != 0)
		return rc;
	*member = find_member(form, key);
	return json_tree_colon(tree);
}

/* Skip a value. */
static int pass_value(struct json_tree *tree)
{
	struct arena *kept = tree->arena;
	int rc;

	tree->arena = NULL;
	rc = json_tree_read(tree);
	tree->arena = kept;
	return rc;
}

/* Consume a value that is known to be valid. */
static bool pass_known(struct json_tree *tree, struct value *v)
{
	struct json_tokens *t = &tree->t;
	size_t n = tree->known.n;

	if (n == 0 || (size_t)(t->end - t->p) < n ||
	    memcmp(t->p, tree->known.p, n) != 0)
		return false;
	*v = (struct value){.kind = VALUE_BYTES, .n = (uint32_t)n, .p = t->p};
	t->p += n;
	return true;
}

/* The text of a value, which is built so that it is checked completely. */
static int read_raw(struct json_tree *tree, struct value *v)
{
	int c = json_token_peek(&tree->t, true);
	const char *start = tree->t.p;
	int rc;

	if (c > 0 && pass_known(tree, v))
		return 0;
	rc = c < 0 ? json_token_unexpected(&tree->t, c, "a value")
		   : json_tree_read(tree);

	if (rc != 0)
		return rc;
	tree->count--;
	*v = (struct value){.kind = VALUE_BYTES,
			    .n = (uint32_t)(tree->t.p - start),
			    .p = start};
	return 0;
}

/* The value of a member. */
static int read_member(struct json_tree *tree, const struct json_member *member,
		       struct value *v)
{
	int c, rc;

	if (member->raw)
		return read_raw(tree, v);
	c = json_token_peek(&tree->t, true);
	if (c < 0)
		return json_token_unexpected(&tree->t, c, "a value");
	if (c != '{' && c != '[')
		return json_tree_scalar(tree, c, v);
	rc = member->form != NULL ? json_form_read(tree, member->form)
				  : json_tree_read(tree);
	if (rc == 0)
		*v = tree->pending[--tree->count];
	return rc;
}

/* After an element: 1 at the end of the container, 0 if another one follows. */
static int after_element(struct json_tree *tree, char end)
{
	int c = json_token_peek(&tree->t, true);

	if (c == end)
		return 1;
	if (c != ',')
		return json_token_unexpected(
			&tree->t, c, end == '}' ? "',' or '}'" : "',' or ']'");
	tree->t.p++;
	return 0;
}

/* Is the newly opened container empty? */
static int is_empty(struct json_tree *tree, char end)
{
	return json_token_peek(&tree->t, true) == end;
}

static int read_members(struct json_tree *tree, const struct json_form *form,
			struct value *v)
{
	int rc = is_empty(tree, '}');
	size_t last = form->count;

	while (rc == 0) {
		size_t member = last;

		rc = take_member(tree, form, &member);
		if (rc == 0 && member < form->count) {
			last = member;
			rc = read_member(tree, &form->members[member],
					 &v[member]);
		} else if (rc == 0) {
			rc = pass_value(tree);
		}
		if (rc == 0)
			rc = after_element(tree, '}');
	}
	return rc < 0 ? rc : 0;
}

static int read_tuple(struct json_tree *tree, const struct json_form *form)
{
	struct value tuple =
		value_new(tree->arena, VALUE_TUPLE, (uint32_t)form->count);
	int rc;

	if (tuple.kind == VALUE_ABSENT)
		return json_tree_no_memory(tree);
	memset(tuple.items->v, 0, form->count * sizeof(*tuple.items->v));
	tuple.items->n = (uint32_t)form->count;
	rc = json_tree_open(tree, true);
	if (rc == 0)
		rc = read_members(tree, form, tuple.items->v);
	if (rc != 0)
		return rc;
	tree->t.p++;
	tree->depth--;
	return json_tree_push(tree, tuple);
}

/* The keys and the values of an object. */
static int read_each(struct json_tree *tree, const struct json_form *form)
{
	int rc = json_tree_open(tree, true);

	if (rc == 0)
		rc = is_empty(tree, '}');
	while (rc == 0) {
		struct str key = {0};

		rc = take_key(tree, &key);
		if (rc == 0)
			rc = json_tree_push_text(tree, VALUE_STR, key);
		if (rc == 0)
			rc = json_tree_colon(tree);
		if (rc == 0)
			rc = json_form_read(tree, form->each);
		if (rc == 0)
			rc = after_element(tree, '}');
	}
	return rc < 0 ? rc : json_tree_close(tree);
}

static int read_list(struct json_tree *tree, const struct json_form *form)
{
	int rc = json_tree_open(tree, false);

	if (rc == 0)
		rc = is_empty(tree, ']');
	while (rc == 0) {
		rc = json_token_peek(&tree->t, true) == '{'
			     ? json_form_read(tree, form)
			     : json_tree_read(tree);
		if (rc == 0)
			rc = after_element(tree, ']');
	}
	return rc < 0 ? rc : json_tree_close(tree);
}

int json_form_read(struct json_tree *tree, const struct json_form *form)
{
	int c = json_token_peek(&tree->t, true);

	if (tree->depth >= JSON_FORM_DEPTH)
		return json_tree_read(tree);
	if (c == '[')
		return read_list(tree, form);
	if (c != '{')
		return json_tree_read(tree);
	return form->each != NULL ? read_each(tree, form)
				  : read_tuple(tree, form);
}
