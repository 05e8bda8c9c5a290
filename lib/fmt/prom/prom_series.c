/* The series of a sample: its name and labels. */
#include <endian.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_parts.h"
#include "fmt/prom/prom_text.h"

/* The closing quote of the string whose inside begins at p, NULL for none. */
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
	*s = scan_run(c, TEXT);
	if (at(c, '"')) {
		c->p++;
		return 0;
	}
	c->p = s->p;
	quote = find_quote(c->p, c->end);
	if (quote == NULL)
		return scan_refuse(c, err,
				   "expected a closing quote after this");
	s->n = (size_t)(quote - s->p);
	if (scan_utf8(c, *s, err) < 0)
		return err->code;
	c->p = quote + 1;
	p->used_scratch = true;
	if (p->odd_escape == 0)
		p->odd_escape = prom_odd_escape(*s);
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

/* One label set being read: the sample's, or its exemplar's after that. */
struct label_set {
	size_t first;	      /* index of its first label in the line */
	bool plain;	      /* a sample's, that may be kept as p->before */
	bool renamed;	      /* some name differs from the one there */
	size_t before_n;      /* bytes of p->before, and */
	size_t before_labels; /* its labels, when the line began */
	size_t at;	      /* where in it the next label would stand */
};

/* Is the name new to the set? */
static bool is_new(const struct prom_line *line, const struct label_set *set,
		   struct str name)
{
	for (size_t i = set->first; i < line->n_labels; i++)
		if (str_eq(line->labels[i].name, name))
			return false;
	return true;
}

/* What is repeated ---------------------------------------------------- */

/* How many bytes at the front are the same, of n. */
static size_t common(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	uint64_t x, y;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return i + (size_t)__builtin_ctzll(htole64(x ^ y)) / 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* How many bytes from here on the line has in common with the one before. */
static size_t repeated(const struct prom_parser *p, const struct cursor *c,
		       const struct label_set *set)
{
	size_t left = (size_t)(c->end - c->p);
	size_t kept = set->before_n - set->at;

	return common(c->p, p->before.text + set->at,
		      left < kept ? left : kept);
}

/* The bytes of the label at the cursor and of what ends it, when its value,
 * which begins at p, is plain text; else 0. */
static size_t plain_label(const struct cursor *c, const char *p)
{
	struct cursor value = {.p = p, .end = c->end};

	scan_run(&value, TEXT);
	if (value.end - value.p < 2 || value.p[0] != '"' ||
	    (value.p[1] != ',' && value.p[1] != '}'))
		return 0;
	return (size_t)(value.p + 2 - c->p);
}

/* The label of n bytes at the cursor, whose place it is. */
static struct prom_label label_at(const struct cursor *c,
				  const struct prom_place *place, size_t n)
{
	size_t head = place->name_n + 2;

	return prom_label_of(str_make(c->p, place->name_n),
			     str_make(c->p + head, n - head - 2));
}

static struct prom_place place_of(const struct prom_label *label, size_t n)
{
	return (struct prom_place){.n = n,
				   .name_n = label->name.n,
				   .hash = prom_label_hash(label)};
}

/* Take labels as long as they have the names that stood there in the line
 * before, and plain values. */
static void take_known(struct prom_parser *p, struct cursor *c,
		       struct label_set *set, struct prom_line *line)
{
	size_t same = set->before_n == 0 ? 0 : repeated(p, c, set);

	while (line->n_labels < set->before_labels && c->p[-1] != '}') {
		struct prom_place *place = &p->before.labels[line->n_labels];
		size_t n = place->n, value = place->name_n + 2;
		bool other = n > same;
		struct prom_label label;

		if (other)
			n = same < value ? 0 : plain_label(c, c->p + value);
		if (n == 0)
			return;
		label = label_at(c, place, n);
		if (set->renamed && !is_new(line, set, label.name))
			return;
		set->at += place->n;
		c->p += n;
		if (other)
			*place = place_of(&label, n);
		label.hash = place->hash;
		p->labels[line->n_labels++] = label;
		same = other ? repeated(p, c, set) : same - n;
	}
}

/* Has the label at this place the name that stood there before? */
static bool keeps_name(const struct prom_parser *p, const struct label_set *set,
		       size_t i, struct str name)
{
	return set->plain && i < set->before_labels &&
	       p->before.labels[i].name_n == name.n &&
	       memcmp(p->before.text + set->at, name.p, name.n) == 0;
}
/* Note how the last label, which began at `first`, stands in the line, for the
 * next. */
static void note_place(struct prom_parser *p, const struct cursor *c,
		       struct label_set *set, const char *first,
		       const struct prom_line *line)
{
	size_t i = line->n_labels - 1, n = (size_t)(c->p - first) + at(c, '}');
	const struct prom_label *label = &line->labels[i];
	struct prom_before *before = &p->before;

	if (i < set->before_labels)
		set->at += before->labels[i].n;
	before->labels = array_room(before->labels, &before->labels_cap, i,
				    sizeof(*before->labels));
	set->plain = label->name.p == first &&
		     label->value.p == first + label->name.n + 2 &&
		     n == label->name.n + label->value.n + 4 &&
		     i < before->labels_cap;
	if (set->plain)
		before->labels[i] = place_of(label, n);
}

/* Keep the line's series, of which text is all. */
static void keep_series(struct prom_before *before, struct str text,
			const struct prom_line *line)
{
	before->text = array_room(before->text, &before->cap, text.n, 1);
	if (text.n >= before->cap)
		return;
	memcpy(before->text, text.p, text.n);
	before->n = text.n;
	before->name_n = line->name.n;
	before->n_labels = line->n_labels;
}

/* Labels -------------------------------------------------------------- */

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
	set->renamed |= !keeps_name(p, set, line->n_labels, label.name);
	if (set->renamed && !is_new(line, set, label.name))
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
	if (at(c, ','))
		c->p++;
	else if (!at(c, '}'))
		return scan_refuse(c, err, "expected ',' or '}'");
	return 0;
}

/* Take what labels can be taken as those of the line before. Returns whether
 * the set goes on. */
static bool go_on(struct prom_parser *p, struct cursor *c,
		  struct label_set *set, struct prom_line *line)
{
	if (set->plain)
		take_known(p, c, set, line);
	if (c->p[-1] == '}')
		return false;
	set->plain &= !at_class(c, BLANK);
	scan_blanks(c);
	if (!at(c, '}'))
		return true;
	c->p++;
	return false;
}

/* What is between braces, and the closing one. */
static int take_set(struct prom_parser *p, struct cursor *c,
		    struct label_set *set, struct prom_line *line,
		    struct err *err)
{
	while (go_on(p, c, set, line)) {
		const char *first = c->p;
		int code = take_label(p, c, set, line, err);

		if (code == 0)
			code = take_comma(c, err);
		if (code < 0)
			return code;
		if (set->plain)
			note_place(p, c, set, first, line);
	}
	return 0;
}

int prom_take_labels(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	struct label_set set = {.first = line->n_labels};

	c->p++;
	return take_set(p, c, &set, line, err);
}

/* A series that begins with its name and braces, which may be kept. */
static int take_plain(struct prom_parser *p, struct cursor *c,
		      struct prom_line *line, struct err *err)
{
	struct prom_before *before = &p->before;
	struct label_set set = {.plain = true,
				.before_n = before->n,
				.before_labels = before->n_labels};
	const char *first = line->name.p;
	int code;

	if (before->n > 0)
		set.at = before->name_n + 1;
	else
		set.before_labels = 0;
	before->n = 0;
	c->p++;
	code = take_set(p, c, &set, line, err);
	if (code == 0 && set.plain && line->n_labels > 0)
		keep_series(before, str_make(first, (size_t)(c->p - first)),
			    line);
	return code;
}

/* The name before the braces. */
static struct str take_name(const struct prom_before *before, struct cursor *c)
{
	const char *first = c->p;

	if (before->n > 0 && (size_t)(c->end - c->p) > before->name_n &&
	    memcmp(c->p, before->text, before->name_n + 1) == 0)
		c->p += before->name_n;
	else
		scan_run(c, NAME);
	return str_make(first, (size_t)(c->p - first));
}

int prom_take_series(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	bool blank;
	int code = 0;

	if (c->p < c->end && in_class(*c->p, NAME_FIRST))
		line->name = take_name(&p->before, c);
	else if (!at(c, '{'))
		return scan_refuse(c, err, "expected a metric name");
	blank = at_word_end(c);
	scan_blanks(c);
	if (at(c, '{') && line->name.n > 0 && !blank)
		code = take_plain(p, c, line, err);
	else if (at(c, '{'))
		code = prom_take_labels(p, c, line, err);
	else if (!blank)
		return scan_refuse(c, err,
				   "expected '{' or a blank after the "
				   "metric name");
	if (code == 0 && line->name.n == 0)
		return scan_refuse(c, err, "no metric name before this");
	return code;
}
