/* The series of a sample: its name and labels. */
#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_parts.h"
#include "fmt/prom/prom_text.h"

/* The closing quote of the string that the cursor is in, NULL for none. */
static const char *find_quote(const struct cursor *c)
{
	const char *p = c->p;

	if (!c->escapes)
		return memchr(p, '"', (size_t)(c->end - p));
	for (; p < c->end && *p != '"'; p++)
		if (*p == '\\' && ++p == c->end)
			return NULL;
	return p < c->end ? p : NULL;
}

int prom_take_quoted(struct prom_parser *p, struct cursor *c, struct str *s,
		     struct err *err)
{
	const char *quote;

	c->p++;
	quote = find_quote(c);
	if (quote == NULL)
		return scan_refuse(c, err,
				   "expected a closing quote after this");
	*s = str_make(c->p, (size_t)(quote - c->p));
	c->p = quote + 1;
	if (!c->escapes)
		return 0;
	p->used_scratch = true;
	*s = prom_canonical(&p->scratch, *s, false);
	return s->p == NULL ? arena_refused(&p->scratch, err) : 0;
}

static int more_labels(struct prom_parser *p, struct err *err)
{
	size_t had = p->cap;

	if (had == LIMIT_LABELS)
		return err_at(err, ERR_INPUT, ERR_LINE, 0,
			      "more than %d labels" ERR_RAISE(LIMIT_LABELS),
			      LIMIT_LABELS);
	p->labels = array_room(p->labels, &p->cap, had, sizeof(*p->labels));
	if (p->cap == had)
		return err_memory(err);
	if (p->cap > LIMIT_LABELS)
		p->cap = LIMIT_LABELS;
	return 0;
}

/* A filter bit by which most label names differ. */
static uint64_t name_bit(struct str name)
{
	unsigned int h = (unsigned char)name.p[0] * 7u +
			 (unsigned char)name.p[name.n - 1] * 3u +
			 (unsigned int)name.n;

	return (uint64_t)1 << (h & 63);
}

/* One label set being read: the sample's, or its exemplar's after that. */
struct label_set {
	size_t first; /* index of its first label in the line */
	uint64_t seen;
};

/* Is the name new to the set? */
static bool is_new(const struct prom_line *line, struct label_set *set,
		   struct str name)
{
	uint64_t bit = name_bit(name);

	if ((set->seen & bit) != 0)
		for (size_t i = set->first; i < line->n_labels; i++)
			if (str_eq(line->labels[i].name, name))
				return false;
	set->seen |= bit;
	return true;
}

/* A quoted name alone is the metric's. */
static int take_metric_name(const struct cursor *c, struct prom_line *line,
			    struct str name, struct err *err)
{
	if (line->name.n != 0)
		return scan_refuse(c, err,
				   "the metric has a name already; "
				   "expected '=' after a label name");
	if (name.n == 0)
		return scan_refuse(c, err,
				   "expected a metric name before this");
	line->name = name;
	return 0;
}

/* NAME="VALUE", "NAME"="VALUE" or "METRIC NAME". */
static int take_label(struct prom_parser *p, struct cursor *c,
		      struct label_set *set, struct prom_line *line,
		      struct err *err)
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
		return scan_refuse(c, err, "expected a label name");
	}
	scan_blanks(c);
	if (quoted && !at(c, '='))
		return take_metric_name(c, line, label.name, err);
	if (!at(c, '=') || label.name.n == 0)
		return scan_refuse(c, err, "expected '=' after a label name");
	if (label.name.n == 8 && memcmp(label.name.p, "__name__", 8) == 0)
		return scan_refuse(c, err, "__name__ cannot be a label");
	if (!is_new(line, set, label.name))
		return scan_refuse(c, err, "this label's name stands twice");
	c->p++;
	scan_blanks(c);
	if (!at(c, '"'))
		return scan_refuse(c, err, "expected a quoted label value");
	code = prom_take_quoted(p, c, &label.value, err);
	if (code == 0 && line->n_labels == p->cap)
		code = more_labels(p, err);
	if (code < 0)
		return code;
	label.hash = prom_label_hash(&label);
	line->labels = p->labels;
	p->labels[line->n_labels++] = label;
	return 0;
}

/* What stands behind a label: a comma, or the end of the set. */
static int take_comma(struct cursor *c, struct err *err)
{
	scan_blanks(c);
	if (at(c, ',')) {
		c->p++;
		scan_blanks(c);
	} else if (!at(c, '}')) {
		return scan_refuse(c, err, "expected ',' or '}'");
	}
	return 0;
}

int prom_take_labels(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	struct label_set set = {.first = line->n_labels};

	c->p++;
	scan_blanks(c);
	while (!at(c, '}')) {
		int code = take_label(p, c, &set, line, err);

		if (code == 0)
			code = take_comma(c, err);
		if (code < 0)
			return code;
	}
	c->p++;
	return 0;
}

/* A series that has nothing of the one before. */
static int take_new(struct prom_parser *p, struct cursor *c,
		    struct prom_line *line, struct err *err)
{
	bool blank;
	int code;

	if (c->p < c->end && in_class(*c->p, NAME_FIRST))
		line->name = scan_run(c, NAME);
	else if (!at(c, '{'))
		return scan_refuse(c, err, "expected a metric name");
	blank = at_word_end(c);
	scan_blanks(c);
	if (at(c, '{')) {
		code = prom_take_labels(p, c, line, err);
		if (code < 0)
			return code;
	} else if (!blank) {
		return scan_refuse(c, err,
				   "expected '{' or a blank after the "
				   "metric name");
	}
	if (line->name.n == 0)
		return scan_refuse(c, err, "no metric name before this");
	return 0;
}

/* The line's series is the one that was seen. */
static void give(struct prom_parser *p, struct prom_seen *seen,
		 struct prom_line *line)
{
	p->last = seen;
	line->name = str_make(seen->text, seen->name_n);
	line->labels = seen->labels;
	line->n_labels = seen->n_labels;
}

bool prom_take_seen(struct prom_parser *p, struct cursor *c,
		    struct prom_line *line)
{
	struct str text = str_make(c->p, (size_t)(c->end - c->p));
	struct prom_seen *seen = prom_repeat_find(&p->repeat, text);

	if (seen == NULL || !prom_seen_take(seen, text))
		return false;
	c->p += seen->n;
	give(p, seen, line);
	return true;
}

int prom_take_series(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	struct str text = str_make(c->p, (size_t)(c->end - c->p));
	struct prom_seen *seen;
	bool multibyte;
	int code = 0;

	scan_over(text, &multibyte, &c->escapes);
	if (multibyte)
		code = scan_utf8(c, err);
	if (code == 0)
		code = take_new(p, c, line, err);
	if (code < 0 || multibyte || c->escapes || line->name.p != text.p)
		return code;
	text.n = (size_t)(c->p - text.p);
	seen = prom_repeat_note(&p->repeat, text, line);
	if (seen != NULL)
		give(p, seen, line);
	return 0;
}
