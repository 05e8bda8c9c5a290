/* The series of a sample: its name and labels. */
#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_parts.h"
#include "fmt/prom/prom_text.h"

/* The closing quote of the string whose inside begins at p, NULL if none. */
static const char *find_quote(const char *p, const char *end)
{
	for (; p < end && *p != '"'; p++)
		if (*p == '\\' && ++p == end)
			return NULL;
	return p < end ? p : NULL;
}

int prom_take_quoted(struct prom_parser *p, struct cursor *c, struct str *s,
		     struct err *err)
{
	const char *quote;

	c->p++;
	s->p = c->p;
	c->p = scan_text(c->p, c->end);
	s->n = (size_t)(c->p - s->p);
	if (at(c, '"')) {
		c->p++;
		return 0;
	}
	c->p = s->p;
	quote = find_quote(c->p, c->end);
	if (quote == NULL)
		return scan_error(c, err,
				  "expected a closing quote after this");
	s->n = (size_t)(quote - s->p);
	if (scan_utf8(c, *s, err) < 0)
		return err->code;
	c->p = quote + 1;
	p->used_scratch = true;
	if (p->odd_escape == 0)
		p->odd_escape = prom_odd_escape(*s);
	*s = prom_canonical(&p->scratch, *s, false);
	return s->p == NULL ? arena_error(&p->scratch, err) : 0;
}

static int more_labels(struct prom_parser *p, struct err *err)
{
	size_t had = p->cap;

	if (had == LIMIT_LABELS)
		return err_at(err, ERR_INPUT, ERR_LINE, 0,
			      "more than %d labels" ERR_RAISE(LIMIT_LABELS),
			      LIMIT_LABELS);
	if (!ARRAY_GROW(p->labels, had, p->cap))
		return err_memory(err);
	if (p->cap > LIMIT_LABELS)
		p->cap = LIMIT_LABELS;
	return 0;
}

/* What is repeated ---------------------------------------------------- */

/* Are n bytes equal? n is not 0. */
static bool is_same(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	if (n < 8)
		return hash_word(a, n) == hash_word(b, n);
	for (; i + 8 < n; i += 8)
		if (hash_word(a + i, 8) != hash_word(b + i, 8))
			return false;
	return hash_word(a + n - 8, 8) == hash_word(b + n - 8, 8);
}

/* The label at `at` has the name of the known one: record its value. Returns
 * false unless it has, and its value is plain text. */
static bool note_value(struct prom_known *known, const char *at,
		       const char *end)
{
	const char *value = at + known->name_n + 2, *p;
	uint64_t before = known->hash;
	size_t n;

	if (end - at < known->name_n + 2 ||
	    !is_same(at, known->text, (size_t)known->name_n + 2))
		return false;
	p = scan_text(value, end);
	n = (size_t)(p - at) + 2;
	if (end - p < 2 || p[0] != '"' || (p[1] != ',' && p[1] != '}') ||
	    n > sizeof(known->text))
		return false;
	known->n = (uint8_t)n;
	known->hash = prom_label_hash_of(known->name_hash,
					 str_make(value, (size_t)(p - value)));
	known->changes = known->hash != before;
	if (!known->changes)
		memcpy(known->text, at, n);
	return true;
}

/* Consume labels as long as their names match those at their positions
 * before. */
static void take_known(struct prom_parser *p, struct cursor *c,
		       struct prom_line *line)
{
	size_t i = line->n_labels, n = p->n_known;
	const char *at = c->p, *end = c->end;
	struct prom_label *labels = p->labels;
	uint64_t hash = line->hash;

	for (; i < n && at[-1] != '}'; i++) {
		struct prom_known *known = &p->known[i];

		if ((known->changes || end - at < known->n ||
		     !is_same(at, known->text, known->n)) &&
		    !note_value(known, at, end))
			break;
		labels[i].name = str_make(at, known->name_n);
		labels[i].value =
			str_make(at + known->name_n + 2,
				 (size_t)known->n - known->name_n - 4);
		labels[i].hash = known->hash;
		hash += known->hash;
		at += known->n;
	}
	if (at[-1] == '}' && line->n_labels == 0 && i > 0)
		line->written = str_make(c->p, (size_t)(at - c->p) - 1);
	c->p = at;
	line->n_labels = i;
	line->hash = hash;
}

/* Remember the line's last label, whose text begins at `first`. */
static void keep_label(struct prom_parser *p, const struct cursor *c,
		       const char *first, const struct prom_line *line)
{
	size_t i = line->n_labels - 1, n = (size_t)(c->p - first) + at(c, '}');
	const struct prom_label *label = &p->labels[i];
	struct prom_known *known;

	if (i > p->n_known || i >= PROM_KNOWN)
		return;
	known = &p->known[i];
	p->n_known = i;
	if (label->name.p != first ||
	    label->value.p != first + label->name.n + 2 ||
	    n != label->name.n + label->value.n + 4 || n > sizeof(known->text))
		return;
	p->n_known = i + 1;
	known->hash = label->hash;
	known->name_hash = prom_label_name_hash(label->name);
	known->n = (uint8_t)n;
	known->name_n = (uint8_t)label->name.n;
	known->changes = false;
	memcpy(known->text, first, n);
}

/* Is the name unique among the labels of its set, which begin at `first`? */
static bool is_new(const struct prom_line *line, size_t first, struct str name)
{
	for (size_t i = first; i < line->n_labels; i++)
		if (str_eq(line->labels[i].name, name))
			return false;
	return true;
}

/* Labels -------------------------------------------------------------- */

/* A quoted name by itself is the metric's. */
static int take_metric_name(const struct cursor *c, struct prom_line *line,
			    struct str name, struct err *err)
{
	if (line->name.n != 0)
		return scan_error(c, err,
				  "the metric has a name already; "
				  "expected '=' after a label name");
	if (name.n == 0)
		return scan_error(c, err, "expected a metric name before this");
	line->name = name;
	return 0;
}

/* NAME="VALUE", "NAME"="VALUE" or "METRIC NAME", in a set whose labels begin at
 * index `set`. */
static int take_label(struct prom_parser *p, struct cursor *c, size_t set,
		      struct prom_line *line, struct err *err)
{
	struct prom_label label = {.hash = 0};
	bool quoted = at(c, '"');
	int code;

	if (quoted) {
		code = prom_take_quoted(p, c, &label.name, err);
		if (code < 0)
			return code;
	} else if (c->p < c->end && in_class(*c->p, LABEL_FIRST)) {
		label.name = scan_run(c, LABEL);
	} else {
		return scan_error(c, err, "expected a label name");
	}
	scan_blanks(c);
	if (quoted && !at(c, '='))
		return take_metric_name(c, line, label.name, err);
	if (!at(c, '=') || label.name.n == 0)
		return scan_error(c, err, "expected '=' after a label name");
	if (label.name.n == 8 && memcmp(label.name.p, "__name__", 8) == 0)
		return scan_error(c, err, "__name__ cannot be a label");
	if (!is_new(line, set, label.name))
		return scan_error(c, err, "this label is given twice");
	c->p++;
	scan_blanks(c);
	if (!at(c, '"'))
		return scan_error(c, err, "expected a quoted label value");
	code = prom_take_quoted(p, c, &label.value, err);
	if (code == 0 && line->n_labels == p->cap)
		code = more_labels(p, err);
	if (code < 0)
		return code;
	label.hash = prom_label_hash(&label);
	line->hash += label.hash;
	line->labels = p->labels;
	p->labels[line->n_labels++] = label;
	return 0;
}

/* What follows a label: a comma, or the end of the set. */
static int take_comma(struct cursor *c, struct err *err)
{
	scan_blanks(c);
	if (at(c, ','))
		c->p++;
	else if (!at(c, '}'))
		return scan_error(c, err, "expected ',' or '}'");
	return 0;
}

int prom_take_labels(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	size_t set = line->n_labels; /* not 0: an exemplar's */
	int code = 0;

	c->p++;
	while (code == 0) {
		const char *first;
		size_t n;

		if (set == 0)
			take_known(p, c, line);
		if (c->p[-1] == '}')
			return 0;
		scan_blanks(c);
		if (at(c, '}')) {
			c->p++;
			return 0;
		}
		first = c->p;
		n = line->n_labels;
		code = take_label(p, c, set, line, err);
		if (code == 0)
			code = take_comma(c, err);
		if (code == 0 && set == 0 && line->n_labels > n)
			keep_label(p, c, first, line);
	}
	return code;
}

/* The name before the braces. */
static struct str take_name(struct prom_parser *p, struct cursor *c)
{
	struct prom_known *known = &p->name;
	const char *first = c->p;

	if (known->n > 0 && (size_t)(c->end - c->p) > known->n &&
	    memcmp(c->p, known->text, known->n) == 0 &&
	    !in_class(c->p[known->n], NAME)) {
		c->p += known->n;
		return str_make(first, known->n);
	}
	scan_run(c, NAME);
	known->n = 0;
	if ((size_t)(c->p - first) <= sizeof(known->text)) {
		known->n = (uint8_t)(c->p - first);
		memcpy(known->text, first, known->n);
	}
	return str_make(first, (size_t)(c->p - first));
}

int prom_take_series(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	bool blank;
	int code = 0;

	if (c->p < c->end && in_class(*c->p, NAME_FIRST))
		line->name = take_name(p, c);
	else if (!at(c, '{'))
		return scan_error(c, err, "expected a metric name");
	blank = at_word_end(c);
	scan_blanks(c);
	if (at(c, '{'))
		code = prom_take_labels(p, c, line, err);
	else if (!blank)
		return scan_error(c, err,
				  "expected '{' or a blank after the "
				  "metric name");
	if (code == 0 && line->name.n == 0)
		return scan_error(c, err, "no metric name before this");
	return code;
}
