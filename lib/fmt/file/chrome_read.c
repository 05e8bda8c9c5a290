#include "fmt/file/chrome_read.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"
#include "fmt/json/json_tree.h"

enum place { AT_START, IN_ARRAY, IN_OBJECT, AT_END };

struct chrome_reader {
	struct json_tree file;
	struct json_tree inner; /* one event, which is one block */
	struct byte_source nothing;
	struct buf text; /* an event that is not whole in one block */
	enum place place;
	bool in_object; /* the array is a member of the top object */
	bool first;	/* no element of the array, or member, was read yet */
	bool closed;
	int64_t base;
};

/* One event's members. */

static const char *const names[CHROME_MEMBERS] = {
	[CHROME_PH] = "ph",	[CHROME_NAME] = "name",
	[CHROME_PID] = "pid",	[CHROME_TID] = "tid",
	[CHROME_TS] = "ts",	[CHROME_DUR] = "dur",
	[CHROME_ID] = "id",	[CHROME_BIND_ID] = "bind_id",
	[CHROME_ARGS] = "args",
};

static int no_bytes(struct byte_source *source, struct str *block,
		    struct err *err)
{
	(void)source, (void)block, (void)err;
	return 0;
}

/* A key and its colon. */
static int read_key(struct json_tree *tree, struct str *key)
{
	int c = json_token_peek(&tree->t, true);
	int rc;

	if (c != '"')
		return json_token_unexpected(&tree->t, c, "a key");
	rc = json_token_string(&tree->t, true, key);
	return rc == 0 ? json_tree_colon(tree) : rc;
}

/* Whether a further element follows: 1 with its comma taken, 0 when the
 * closing bracket is next. */
static int read_comma(struct json_tree *tree, bool *first, char close)
{
	int c = json_token_peek(&tree->t, true);

	if (c == close)
		return 0;
	if (!*first) {
		if (c != ',')
			return json_token_unexpected(&tree->t, c, "','");
		tree->t.p++;
	}
	*first = false;
	return 1;
}

/* The value that is next in a tree of one block, as it stands. */
static int read_slice(struct json_tree *tree, struct str *slice)
{
	int c = json_token_peek(&tree->t, true);
	const char *start = tree->t.p;
	int rc = c < 0 ? json_token_unexpected(&tree->t, c, "a value")
		       : json_tree_skip(tree);

	if (rc == 0)
		*slice = str_make(start, (size_t)(tree->t.p - start));
	return rc;
}

/* Read an object that is whole in memory, from behind its brace on. */
static void look_at(struct json_tree *tree, struct str object)
{
	tree->t.before = 0;
	tree->t.block = object.p;
	tree->t.p = object.p + 1;
	tree->t.end = object.p + object.n;
}

/* The next member of such an object: 1, 0 at its closing brace, or an error.
 * which is its place in wanted, or n when it is not there. */
static int next_member(struct json_tree *tree, bool *first,
		       const char *const *wanted, size_t n, size_t *which,
		       struct str *slice)
{
	int rc = read_comma(tree, first, '}');
	struct str key = {NULL, 0};

	if (rc == 1)
		rc = read_key(tree, &key) < 0 ? -1 : 1;
	if (rc != 1)
		return rc == 0 ? 0 : tree->t.err->code;
	for (*which = 0; *which < n && !str_is(key, wanted[*which]);)
		++*which;
	rc = read_slice(tree, slice);
	return rc < 0 ? rc : 1;
}

static int read_members(struct chrome_reader *r, struct chrome_event *event)
{
	bool first = true;
	int rc = 1;

	look_at(&r->inner, event->text);
	while (rc == 1) {
		struct str slice;
		size_t m = CHROME_MEMBERS;

		rc = next_member(&r->inner, &first, names, CHROME_MEMBERS, &m,
				 &slice);
		if (rc == 1 && m < CHROME_MEMBERS)
			event->member[m] = slice;
	}
	return rc;
}

/* The text of an event. */

/* How far a text has been looked through for its last bracket. */
struct brackets {
	size_t depth;
	bool in_string, escaped;
};

/* Past the bracket that closes the first one, or NULL when that is not in
 * these bytes. */
static const char *close_of(struct brackets *b, const char *p, const char *end)
{
	for (; p < end; p++) {
		if (b->escaped)
			b->escaped = false;
		else if (b->in_string && *p == '\\')
			b->escaped = true;
		else if (*p == '"')
			b->in_string = !b->in_string;
		else if (b->in_string)
			continue;
		else if (*p == '{' || *p == '[')
			b->depth++;
		else if ((*p == '}' || *p == ']') && --b->depth == 0)
			return p + 1;
	}
	return NULL;
}

/* Take the object that is next as text, copied when it spans blocks. */
static int take_text(struct chrome_reader *r, struct str *text)
{
	struct json_tokens *t = &r->file.t;
	struct brackets brackets = {0};
	const char *end = close_of(&brackets, t->p, t->end);
	int rc = 0;

	if (end != NULL) {
		*text = str_make(t->p, (size_t)(end - t->p));
		t->p = end;
		return 0;
	}
	buf_clear(&r->text);
	while (end == NULL && rc == 0) {
		buf_put(&r->text, t->p, (size_t)(t->end - t->p));
		t->p = t->end;
		rc = json_token_refill(t);
		if (rc == 0)
			end = close_of(&brackets, t->p, t->end);
		if (r->text.failed)
			return buf_refused(&r->text, t->err);
	}
	if (rc != 0)
		return json_token_unexpected(t, rc, "the end of an event");
	buf_put(&r->text, t->p, (size_t)(end - t->p));
	t->p = end;
	*text = buf_str(&r->text);
	return r->text.failed ? buf_refused(&r->text, t->err) : 0;
}

/* The file around the events. */

static int read_base(struct chrome_reader *r)
{
	struct value v;
	int c = json_token_peek(&r->file.t, true);
	int rc;

	if (c == '{' || c == '[' || c == '"' || c < 0)
		return json_tree_skip(&r->file);
	rc = json_token_scalar(&r->file.t, true, &v);
	if (rc == 0 && v.kind == VALUE_INT)
		r->base = v.i;
	return rc;
}

/* Members of the top object up to the events: 1 before the first event, 0
 * after the closing brace. */
static int read_top(struct chrome_reader *r)
{
	int rc = read_comma(&r->file, &r->first, '}');

	while (rc == 1) {
		struct str key = {NULL, 0};
		bool events, base;

		rc = read_key(&r->file, &key);
		if (rc < 0)
			return rc;
		events = str_is(key, "traceEvents");
		base = str_is(key, "baseTimeNanoseconds");
		if (events && json_token_peek(&r->file.t, true) == '[') {
			r->file.t.p++;
			r->place = IN_ARRAY;
			r->first = true;
			return 1;
		}
		rc = base ? read_base(r) : json_tree_skip(&r->file);
		if (rc == 0)
			rc = read_comma(&r->file, &r->first, '}');
	}
	if (rc == 0)
		r->file.t.p++;
	return rc;
}

static int begin(struct chrome_reader *r)
{
	int c = json_token_peek(&r->file.t, true);

	if (c != '{' && c != '[')
		return json_token_unexpected(&r->file.t, c,
					     "a trace, '{' or '['");
	r->file.t.p++;
	r->first = true;
	r->in_object = c == '{';
	r->place = r->in_object ? IN_OBJECT : IN_ARRAY;
	return 0;
}

static int finish(struct chrome_reader *r)
{
	int c = json_token_peek(&r->file.t, true);

	if (c != JSON_TOKEN_END)
		return json_token_unexpected(&r->file.t, c,
					     "nothing after the trace");
	r->closed = true;
	r->place = AT_END;
	return 0;
}

/* An element of the array: 1 with it next, 0 when there is none. A trace that
 * is an array may end anywhere between events. */
static int next_element(struct chrome_reader *r)
{
	int c = json_token_peek(&r->file.t, true);
	int rc;

	if (c == JSON_TOKEN_END && !r->in_object) {
		r->place = AT_END;
		return 0;
	}
	rc = read_comma(&r->file, &r->first, ']');
	c = rc == 1 ? json_token_peek(&r->file.t, true) : 0;
	if (c == JSON_TOKEN_END && !r->in_object) {
		r->place = AT_END;
		return 0;
	}
	if (rc == 1 && c != '{')
		return json_token_unexpected(&r->file.t, c, "an event, '{'");
	if (rc != 0)
		return rc;
	r->file.t.p++;
	r->first = false;
	r->place = r->in_object ? IN_OBJECT : AT_END;
	return r->in_object ? 0 : finish(r);
}

/* Go to the next event: 1 with it next, 0 at the end. */
static int find_event(struct chrome_reader *r)
{
	int rc = r->place == AT_START ? begin(r) : 0;

	while (rc == 0 && r->place != AT_END) {
		if (r->place == IN_ARRAY) {
			rc = next_element(r);
			continue;
		}
		rc = read_top(r);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return finish(r);
		rc = 0;
	}
	return rc;
}

int chrome_next(struct chrome_reader *r, struct chrome_event *event,
		struct err *err)
{
	int64_t start;
	int rc;

	r->file.t.err = r->inner.t.err = err;
	rc = find_event(r);
	if (rc != 1)
		return rc;
	*event = (struct chrome_event){0};
	start = json_token_offset(&r->file.t);
	rc = take_text(r, &event->text);
	if (rc < 0)
		return rc;
	rc = read_members(r, event);
	if (rc < 0 && err->unit == ERR_BYTE)
		err->at += start;
	return rc < 0 ? rc : 1;
}

struct chrome_reader *chrome_open(struct byte_source *source)
{
	struct chrome_reader *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->nothing = (struct byte_source){.next = no_bytes};
	json_tree_init(&r->file, source);
	json_tree_init(&r->inner, &r->nothing);
	r->text = buf_new(LIMIT_LINE);
	return r;
}

void chrome_close(struct chrome_reader *r)
{
	if (r == NULL)
		return;
	json_tree_free(&r->file);
	json_tree_free(&r->inner);
	buf_free(&r->text);
	free(r);
}

bool chrome_is_closed(const struct chrome_reader *r)
{
	return r->closed;
}

int64_t chrome_base(const struct chrome_reader *r)
{
	return r->base;
}

/* Members. */

struct str chrome_unquote(struct str s)
{
	if (s.n >= 2 && s.p[0] == '"')
		return str_make(s.p + 1, s.n - 2);
	return s;
}

/* [-]DIGITS[.DIGITS] as thousandths, further decimals cut. */
static bool parse_plain(struct str s, int64_t *thousandths)
{
	const char *point = memchr(s.p, '.', s.n);
	size_t whole = point ? (size_t)(point - s.p) : s.n;
	int64_t units, fraction = 0;

	if (!num_parse_int(str_make(s.p, whole), &units) ||
	    __builtin_mul_overflow(units, 1000, &units))
		return false;
	for (size_t i = 0, unit = 100; point && i + whole + 1 < s.n; i++) {
		char c = point[1 + i];

		if (c < '0' || c > '9')
			return false;
		fraction += (int64_t)unit * (c - '0');
		unit /= 10;
	}
	if (s.p[0] == '-')
		fraction = -fraction;
	return !__builtin_add_overflow(units, fraction, thousandths);
}

bool chrome_parse_time(struct str member, int64_t *ns)
{
	struct str s = chrome_unquote(member);
	double v;

	if (s.p == NULL || s.n == 0)
		return false;
	if (parse_plain(s, ns))
		return true;
	if (!num_parse_double(s, &v) || !(fabs(v) < 9e15))
		return false;
	*ns = llround(v * 1000);
	return true;
}

struct str chrome_find(struct str object, const char *name)
{
	struct byte_source nothing = {.next = no_bytes};
	struct str found = {NULL, 0}, slice = found;
	struct json_tree tree;
	struct err ignored;
	bool first = true;
	size_t which = 0;

	if (object.n < 2 || object.p[0] != '{')
		return found;
	json_tree_init(&tree, &nothing);
	tree.t.err = &ignored;
	look_at(&tree, object);
	while (next_member(&tree, &first, &name, 1, &which, &slice) == 1)
		if (which == 0)
			found = slice;
	json_tree_free(&tree);
	return found;
}
