#include "fmt/json/json_form.h"

#include "fmt/json/json_tree.h"
#include "fmt/value/value_make.h"

static uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static uint32_t half_at(const char *p)
{
	uint32_t half;

	memcpy(&half, p, sizeof(half));
	return half;
}

/* Does a text of more bytes begin with the key? Its last word may overlap the
 * ones before it: memcmp would cost a call. */
static inline bool begins_with(const char *text, struct str key)
{
	size_t last;

	if (key.n < sizeof(uint64_t)) {
		last = key.n - sizeof(uint32_t);
		return half_at(text) == half_at(key.p) &&
		       half_at(text + last) == half_at(key.p + last);
	}
	last = key.n - sizeof(uint64_t);
	if (word_at(text) != word_at(key.p) ||
	    word_at(text + last) != word_at(key.p + last))
		return false;
	for (size_t at = sizeof(uint64_t); at < last; at += sizeof(uint64_t))
		if (word_at(text + at) != word_at(key.p + at))
			return false;
	return true;
}

static inline bool has_key(const struct json_member *m, const char *text,
			   const char *end)
{
	return (size_t)(end - text) > m->key.n && begins_with(text, m->key);
}

/* So many members of the form are tried for a key: writers omit some. */
enum { AHEAD = 4 };

/* The member whose key begins the text: one of the next from m on, before
 * `behind`; NULL if it is none of them. Not inlined, as it is rarely needed. */
static __attribute__((noinline)) const struct json_member *
later_member(const struct json_member *m, const struct json_member *behind,
	     const char *text, const char *end)
{
	for (int i = 0; i < AHEAD && m != behind; i++, m++)
		if (has_key(m, text, end))
			return m;
	return NULL;
}

/* The end of a plain string or number at p, or NULL. */
static inline const char *plain_scalar(const char *p, const char *end,
				       struct value *v)
{
	return *p == '"' ? json_plain_string(p, end, v)
			 : json_plain_number(p, end, v);
}

/* What comes next in an object. */
enum ahead { KEY_AHEAD, VALUE_AHEAD, END_AHEAD, OTHER_AHEAD };

/*
 * Consume the member whose key is at *at, if it is the expected one of the form
 * or soon after it, and a plain value; of another value only its key. *expected
 * becomes the one after it. Other keys, OTHER_AHEAD, are not consumed.
 */
static inline enum ahead take_plain(const char **at, const char *end,
				    const struct json_form *form,
				    const struct json_member **expected,
				    struct value *v)
{
	const struct json_member *behind = form->members + form->count;
	const struct json_member *m = *expected;
	const char *p = *at + (**at == ' ');

	if (m == behind || !has_key(m, p, end))
		m = later_member(m, behind, p, end);
	if (m == NULL)
		return OTHER_AHEAD;
	*expected = m + 1;
	p += m->key.n;
	p += *p == ' ';
	*at = p;
	if (p == end || m->raw)
		return VALUE_AHEAD;
	p = plain_scalar(p, end, &v[m - form->members]);
	if (p == NULL || p == end || (*p != ',' && *p != '}'))
		return VALUE_AHEAD;
	*at = p;
	if (*p == '}')
		return END_AHEAD;
	++*at;
	return KEY_AHEAD;
}

/*
 * Members whose keys are in the order of the form and whose values are plain,
 * as most are, without a call for each token. Returns 1 if the object's end
 * follows them; else 0, at the next key, or with *member at the value of one.
 * *next counts the members of the form up to the last one read.
 */
static int read_plain(struct json_tree *tree, const struct json_form *form,
		      size_t *next, const struct json_member **member,
		      struct value *v)
{
	const struct json_member *expected = form->members + *next;
	const char *at = tree->t.p, *end = tree->t.end;
	enum ahead ahead = KEY_AHEAD;

	while (ahead == KEY_AHEAD && at != end)
		ahead = take_plain(&at, end, form, &expected, v);
	tree->t.p = at;
	*next = (size_t)(expected - form->members);
	*member = ahead == VALUE_AHEAD ? expected - 1 : NULL;
	return ahead == END_AHEAD;
}

/* The member with the next key, whose value follows; NULL: none has it. */
static int take_member(struct json_tree *tree, const struct json_form *form,
		       size_t *next, const struct json_member **member)
{
	struct str name;
	int rc = json_token_key(&tree->t, &name);

	*member = NULL;
	for (size_t i = 0; rc == 0 && i < form->count; i++) {
		struct str key = form->members[i].key;

		if (!str_eq(str_make(key.p + 1, key.n - JSON_KEY_MARKS), name))
			continue;
		*member = &form->members[i];
		*next = i + 1;
		break;
	}
	return rc != 0 ? rc : json_tree_colon(tree);
}

/* Skip a value. */
static int pass_value(struct json_tree *tree)
{
	struct arena *kept = tree->arena;
	struct value ignored;
	const char *end = NULL;
	int rc = json_token_peek(&tree->t, true);

	if (rc == '"')
		end = json_plain_string(tree->t.p, tree->t.end, &ignored);
	else if (rc >= 0)
		end = json_plain_digits(tree->t.p, tree->t.end).end;
	if (end != NULL) {
		tree->t.p = end;
		return 0;
	}
	tree->arena = NULL;
	rc = json_tree_read(tree);
	tree->arena = kept;
	return rc;
}

/* Consume a value that is known to be valid. */
static bool pass_known(struct json_tree *tree, struct value *v)
{
	struct json_tokens *t = &tree->t;

	for (int i = 0; i < JSON_KNOWN; i++) {
		struct str known = tree->known[i];

		if (known.n == 0 || (size_t)(t->end - t->p) < known.n ||
		    memcmp(t->p, known.p, known.n) != 0)
			continue;
		*v = (struct value){
			.kind = VALUE_BYTES, .n = (uint32_t)known.n, .p = t->p};
		t->p += known.n;
		return true;
	}
	return false;
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
	if ((size_t)(tree->t.p - start) > LIMIT_STRING)
		return json_token_too_long(&tree->t);
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

/* Is the newly opened container empty? */
static int is_empty(struct json_tree *tree, char end)
{
	return json_token_peek(&tree->t, true) == end;
}

static int read_members(struct json_tree *tree, const struct json_form *form,
			struct value *v)
{
	int rc = is_empty(tree, '}');
	size_t next = 0;

	while (rc == 0) {
		const struct json_member *member = NULL;

		if (tree->borrow)
			rc = read_plain(tree, form, &next, &member, v);
		if (rc == 0 && member == NULL)
			rc = take_member(tree, form, &next, &member);
		if (rc == 0)
			rc = member == NULL
				     ? pass_value(tree)
				     : read_member(tree, member,
						   &v[member - form->members]);
		if (rc == 0)
			rc = json_token_comma(&tree->t, '}');
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
	for (size_t i = 0; i < form->count; i++)
		tuple.items->v[i] = (struct value){.kind = VALUE_ABSENT};
	tuple.items->n = (uint32_t)form->count;
	tree->depth++;
	tree->t.p++;
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

		rc = json_token_key(&tree->t, &key);
		if (rc == 0)
			rc = json_tree_push_text(tree, VALUE_STR, key);
		if (rc == 0)
			rc = json_tree_colon(tree);
		if (rc == 0)
			rc = json_form_read(tree, form->each);
		if (rc == 0)
			rc = json_token_comma(&tree->t, '}');
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
			rc = json_token_comma(&tree->t, ']');
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
