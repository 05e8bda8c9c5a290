#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/similar.h"
#include "rollout/row_filter_parts.h"

enum field_kind { KIND_TEXT, KIND_NUMBER, KIND_ANY, KIND_DURATION };

static const struct {
	const char *name;
	enum field_kind kind;
	bool of_span; /* KEY_DUR: only next to one that is */
} keys[KEYS] = {
	[KEY_TEXT] = {"", KIND_TEXT, false},
	[KEY_STATUS] = {"status", KIND_TEXT, false},
	[KEY_SOURCE] = {"source", KIND_TEXT, false},
	[KEY_LABEL] = {"label", KIND_TEXT, false},
	[KEY_INDEX] = {"index", KIND_NUMBER, false},
	[KEY_GROUP] = {"group", KIND_NUMBER, false},
	[KEY_TOKENS] = {"tokens", KIND_NUMBER, false},
	[KEY_REWARD] = {"reward", KIND_ANY, false},
	[KEY_WORKER] = {"worker", KIND_TEXT, false},
	[KEY_DUR] = {"dur", KIND_DURATION, false},
	[KEY_NAME] = {"name", KIND_TEXT, true},
	[KEY_ATTEMPT] = {"attempt", KIND_NUMBER, true},
};

struct reader {
	const char *text; /* NUL-terminated copy, in lower case but for keys */
	size_t at;
	struct err *err;
};

static int wrong(struct reader *r, size_t at, const char *what)
{
	return err_set(r->err, ERR_INPUT, "%s (character %zu)", what, at + 1);
}

static enum op take_op(struct reader *r)
{
	static const struct {
		const char *text;
		enum op op;
	} ops[] = {{"<=", OP_MOST}, {">=", OP_LEAST}, {"<", OP_LESS},
		   {">", OP_MORE},  {":", OP_HAS},    {"=", OP_IS}};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(r->text + r->at, ops[i].text, n) == 0) {
			r->at += n;
			return ops[i].op;
		}
	}
	return OP_NONE;
}

/* Append quoted text. */
static int take_quoted(struct reader *r, struct buf *word)
{
	const char *from = r->text + r->at + 1;
	const char *end = strchr(from, '"');

	if (end == NULL)
		return wrong(r, r->at, "the quote has no end");
	buf_put(word, from, (size_t)(end - from));
	r->at += (size_t)(end - from) + 2;
	return 0;
}

/* Read a word: key, op and value, or only a value. `key` and `word` are empty
 * buffers. */
static int take_word(struct reader *r, struct filter_term *t, struct buf *key,
		     struct buf *word)
{
	t->quoted = r->text[r->at] == '"';
	while (r->text[r->at] != '\0' && !str_is_blank(r->text[r->at])) {
		bool open = t->op == OP_NONE && !t->quoted;

		if (open)
			t->op = take_op(r);
		if (open && t->op != OP_NONE) {
			buf_put(key, word->p, word->n);
			word->n = 0;
		} else if (r->text[r->at] != '"') {
			buf_putc(word, r->text[r->at++]);
		} else if (take_quoted(r, word) < 0) {
			return r->err->code;
		}
	}
	return 0;
}

/* Name the similar key, if there is one, and all keys. */
static int unknown_key(struct reader *r, size_t at, struct str name)
{
	char text[256];
	const char *near = NULL;
	size_t least = name.n / 3 + 1, used = 0;

	for (int k = KEY_STATUS; k < KEYS; k++) {
		size_t d = similar_distance(name, str_of(keys[k].name));

		if (d < name.n && d <= least) {
			near = keys[k].name;
			least = d;
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s", used ? ", " : "",
					 keys[k].name);
	}
	return err_set(r->err, ERR_INPUT,
		       "unknown key '%.*s' (character %zu); %s%s%skeys are %s; "
		       "put text with a sign in quotes",
		       (int)(name.n < 64 ? name.n : 64), name.p, at + 1,
		       near ? "did you mean " : "", near ? near : "",
		       near ? "? " : "", text);
}

static int find_key(struct reader *r, struct filter_term *t, struct str name)
{
	static const struct str reward = STR("reward.");

	if (name.n == 0)
		return wrong(r, t->at, "a key is missing before the sign");
	if (str_starts(name, reward.p) && name.n > reward.n) {
		t->path = str_skip(name, reward.n);
		name.n = reward.n - 1;
	}
	for (t->key = KEY_STATUS; t->key < KEYS; t->key++)
		if (str_is(name, keys[t->key].name))
			return 0;
	if (str_is(name, "error") || str_starts(name, "attr."))
		return wrong(r, t->at,
			     "only the page's search box knows attributes");
	return unknown_key(r, t->at, name);
}

/* Microseconds of "30s" etc., to the nanosecond, so that 45.183274s equals
 * 45183274us; NaN if it is not a duration. */
static double read_duration(struct str s)
{
	static const struct {
		const char *name;
		double us;
	} units[] = {{"us", 1},	  {"\u00b5s", 1}, {"ms", 1e3}, {"s", 1e6},
		     {"m", 60e6}, {"h", 3600e6},  {"", 1e6}};
	double number;
	size_t used = num_scan_double(s, &number);
	struct str unit = str_skip(s, used);

	for (size_t i = 0; used > 0 && i < ARRAY_SIZE(units); i++)
		if (str_is(unit, units[i].name))
			return round(number * units[i].us * 1e3) / 1e3;
	return NAN;
}

/* Is the value valid for the key and the op? */
static int check_value(struct reader *r, struct filter_term *t)
{
	bool orders = t->op != OP_HAS && t->op != OP_IS;

	if (t->value.n == 0)
		return wrong(r, t->at, "a value is missing");
	if (keys[t->key].kind == KIND_TEXT && orders)
		return wrong(r, t->at, "text needs : or =");
	if (keys[t->key].kind == KIND_DURATION) {
		t->number = read_duration(t->value);
		if (isnan(t->number))
			return wrong(r, t->at,
				     "not a duration; use 500us, 12ms, 30s or "
				     "2m");
		return orders ? 0 : wrong(r, t->at, "dur needs < or >");
	}
	if (!num_parse_double(t->value, &t->number))
		t->number = NAN;
	if (orders && isnan(t->number))
		return wrong(r, t->at, "the value is not a number");
	return 0;
}

static struct str lowered(struct arena *a, struct str s)
{
	struct str copy = arena_str(a, s);

	for (size_t i = 0; copy.p != NULL && i < copy.n; i++)
		((char *)copy.p)[i] = (char)tolower((unsigned char)copy.p[i]);
	return copy;
}

/* The term at r->at, which is not a blank. */
static int take_term(struct row_filter *f, struct reader *r,
		     struct filter_term *t)
{
	struct buf key = buf_new(LIMIT_STRING);
	struct buf word = buf_new(LIMIT_STRING);
	const char *next = r->text + r->at + 1;
	int code;

	*t = (struct filter_term){.at = r->at, .number = NAN};
	t->negated = next[-1] == '-' && *next != '\0' && !str_is_blank(*next);
	r->at += t->negated;
	code = take_word(r, t, &key, &word);
	if (code == 0) {
		struct str name = arena_str(&f->arena, buf_str(&key));

		t->value = lowered(&f->arena, buf_str(&word));
		if (name.p == NULL || t->value.p == NULL || key.failed ||
		    word.failed)
			code = err_memory(r->err);
		else if (t->op != OP_NONE)
			code = find_key(r, t, name);
	}
	if (code == 0 && t->op != OP_NONE)
		code = check_value(r, t);
	else if (code == 0 && !num_parse_double(t->value, &t->number))
		t->number = NAN;
	buf_free(&key);
	buf_free(&word);
	return code;
}

/* Decide for each term whether it is on the row or its spans. */
static void sort_terms(struct row_filter *f)
{
	bool positive = false;

	for (size_t i = 0; i < f->n; i++)
		positive |= keys[f->terms[i].key].of_span &&
			    !f->terms[i].negated;
	for (size_t i = 0; i < f->n; i++) {
		struct filter_term *t = &f->terms[i];
		bool of_span = keys[t->key].of_span ||
			       (positive && t->key == KEY_DUR);
		bool joins = positive && !(t->negated && t->key == KEY_NAME);

		t->place = !of_span ? OF_ROW : joins ? OF_ONE_SPAN : OF_NO_SPAN;
	}
	f->has_spans = positive;
}

static int read_terms(struct row_filter *f, struct str text, struct err *err)
{
	struct str copy = arena_str(&f->arena, text);
	struct reader r = {.text = copy.p, .err = err};

	/* A term has at least a byte, and a blank after it. */
	f->terms = arena_array(&f->arena, text.n / 2 + 1, sizeof(*f->terms));
	if (copy.p == NULL || f->terms == NULL)
		return err_memory(err);
	if (strlen(copy.p) != text.n)
		return wrong(&r, strlen(copy.p), "a NUL byte");
	while (r.text[r.at] != '\0') {
		if (str_is_blank(r.text[r.at]))
			r.at++;
		else if (take_term(f, &r, &f->terms[f->n++]) < 0)
			return err->code;
	}
	sort_terms(f);
	return 0;
}

struct row_filter *row_filter_new(struct str text, struct err *err)
{
	struct row_filter *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return err_no_memory(err);
	f->arena = arena_new(LIMIT_KEPT);
	f->text = buf_new(LIMIT_STRING);
	f->workers = workers_new();
	if (read_terms(f, text, err) == 0)
		return f;
	row_filter_free(f);
	return NULL;
}

void row_filter_free(struct row_filter *f)
{
	if (f == NULL)
		return;
	arena_free(&f->arena);
	buf_free(&f->text);
	workers_free(&f->workers);
	free(f);
}
