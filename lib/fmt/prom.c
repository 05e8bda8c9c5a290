#include "fmt/prom.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"
#include "fmt/prom_scan.h"
#include "fmt/prom_text.h"

static const struct {
	const char *word;
	enum prom_type type;
} type_words[] = {
	{"untyped", PROM_UNTYPED}, {"counter", PROM_COUNTER},
	{"gauge", PROM_GAUGE},	   {"histogram", PROM_HISTOGRAM},
	{"summary", PROM_SUMMARY}, {"gaugehistogram", PROM_GAUGEHISTOGRAM},
	{"info", PROM_INFO},	   {"stateset", PROM_STATESET},
	{"unknown", PROM_UNTYPED},
};

enum { TYPE_WORDS = sizeof(type_words) / sizeof(type_words[0]) };

const char *prom_type_word(enum prom_type type)
{
	return type_words[type].word;
}

struct prom_parser prom_parser_new(void)
{
	return (struct prom_parser){.scratch = arena_new(LIMIT_LINE * 4)};
}

void prom_parser_free(struct prom_parser *p)
{
	arena_free(&p->scratch);
	free(p->labels);
	*p = prom_parser_new();
}

/* Names and labels ---------------------------------------------------- */

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

/* A quoted string; the cursor is on its opening quote. */
static int take_quoted(struct prom_parser *p, struct cursor *c, struct str *s,
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
	return s->p == NULL ? err_memory(err) : 0;
}

static int more_labels(struct prom_parser *p, struct err *err)
{
	size_t cap = p->cap == 0 ? 32 : p->cap * 2;
	struct prom_label *labels;

	if (cap > LIMIT_LABELS)
		return err_at(err, ERR_INPUT, ERR_LINE, 0,
			      "more than %d labels", LIMIT_LABELS);
	labels = realloc(p->labels, cap * sizeof(*labels));
	if (labels == NULL)
		return err_memory(err);
	p->labels = labels;
	p->cap = cap;
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
	struct prom_label label;
	bool quoted = at(c, '"');
	int code;

	if (quoted) {
		code = take_quoted(p, c, &label.name, err);
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
	code = take_quoted(p, c, &label.value, err);
	if (code == 0 && line->n_labels == p->cap)
		code = more_labels(p, err);
	if (code < 0)
		return code;
	line->labels = p->labels;
	line->labels[line->n_labels++] = label;
	return 0;
}

/* The braces and what is in them; the cursor is on the opening one. */
static int take_labels(struct prom_parser *p, struct cursor *c,
		       struct prom_line *line, struct err *err)
{
	struct label_set set = {.first = line->n_labels};

	c->p++;
	scan_blanks(c);
	while (!at(c, '}')) {
		int code = take_label(p, c, &set, line, err);

		if (code < 0)
			return code;
		scan_blanks(c);
		if (at(c, ',')) {
			c->p++;
			scan_blanks(c);
		} else if (!at(c, '}')) {
			return scan_refuse(c, err, "expected ',' or '}'");
		}
	}
	c->p++;
	return 0;
}

/* Any number stamps an exemplar; only its form is looked at. */
static int take_exemplar_rest(struct cursor *c, struct err *err)
{
	double ignored;
	int code = scan_value(c, &ignored, err);

	scan_blanks(c);
	if (code == 0 && c->p < c->end)
		code = scan_value(c, &ignored, err);
	return code;
}

/* "# {LABELS} VALUE [TIME]" after a sample: read for its form, left out. */
static int skip_exemplar(struct prom_parser *p, struct cursor *c,
			 struct prom_line *line, struct err *err)
{
	size_t n = line->n_labels;
	int code;

	c->p++;
	scan_blanks(c);
	if (!at(c, '{'))
		return scan_refuse(c, err, "expected '{' of an exemplar");
	code = take_labels(p, c, line, err);
	line->n_labels = n;
	scan_blanks(c);
	return code < 0 ? code : take_exemplar_rest(c, err);
}

/* Samples ------------------------------------------------------------- */

static int take_seconds(struct cursor *c, long double *time, struct err *err)
{
	double seconds;
	int code = scan_value(c, &seconds, err);

	if (code == 0 && !isfinite(seconds))
		return scan_refuse(c, err,
				   "expected a finite timestamp before "
				   "this");
	*time = roundl((long double)seconds * 1000);
	return code;
}

static int take_milliseconds(struct cursor *c, long double *time,
			     struct err *err)
{
	struct cursor first = *c;
	int64_t ms;

	if (!num_parse_int(scan_word(c), &ms))
		return scan_refuse(&first, err,
				   "expected a timestamp in milliseconds");
	*time = (long double)ms;
	return 0;
}

static int take_time(struct cursor *c, enum prom_unit unit,
		     struct prom_line *line, struct err *err)
{
	int64_t ms;

	if (unit == PROM_UNDECIDED)
		return num_parse_int(scan_word(c), &ms)
			       ? PROM_NEEDS_UNIT
			       : PROM_NEEDS_UNIT_FRACTION;
	if (unit == PROM_SECONDS)
		return take_seconds(c, &line->time, err);
	return take_milliseconds(c, &line->time, err);
}

static int take_series(struct prom_parser *p, struct cursor *c,
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
		code = take_labels(p, c, line, err);
		if (code < 0)
			return code;
	} else if (!blank) {
		return scan_refuse(c, err,
				   "expected '{' or a blank after the "
				   "metric name");
	}
	if (line->name.n == 0)
		return scan_refuse(c, err, "no metric name before this");
	scan_blanks(c);
	return 0;
}

static int take_sample(struct prom_parser *p, struct cursor *c,
		       enum prom_unit unit, struct prom_line *line,
		       struct err *err)
{
	int code = take_series(p, c, line, err);

	line->kind = PROM_SAMPLE;
	line->time = (long double)NAN;
	if (code == 0)
		code = scan_value(c, &line->value, err);
	if (code < 0)
		return code;
	scan_blanks(c);
	if (c->p < c->end && *c->p != '#') {
		code = take_time(c, unit, line, err);
		if (code != 0)
			return code;
		scan_blanks(c);
	}
	if (at(c, '#'))
		code = skip_exemplar(p, c, line, err);
	scan_blanks(c);
	if (code == 0 && c->p < c->end)
		return scan_refuse(c, err, "expected the end of the line");
	return code;
}

/* Comments ------------------------------------------------------------ */

static int take_family_name(struct prom_parser *p, struct cursor *c,
			    struct prom_line *line, struct err *err)
{
	struct cursor first = *c;

	if (at(c, '"'))
		return take_quoted(p, c, &line->name, err);
	line->name = scan_word(c);
	if (prom_plain_name(line->name))
		return 0;
	return scan_refuse(&first, err, "expected a metric name");
}

static int take_help(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	struct str text = str_make(c->p, (size_t)(c->end - c->p));

	line->kind = PROM_HELP;
	line->help = text;
	if (!c->escapes)
		return 0;
	p->used_scratch = true;
	line->help = prom_canonical(&p->scratch, text, true);
	return line->help.p == NULL ? err_memory(err) : 0;
}

static int take_type(struct cursor *c, struct prom_line *line, struct err *err)
{
	struct cursor first = *c;
	struct str word = scan_word(c);

	scan_blanks(c);
	if (word.n == 0)
		return 0;
	line->kind = PROM_TYPE;
	for (size_t i = 0; c->p == c->end && i < TYPE_WORDS; i++) {
		if (str_is(word, type_words[i].word)) {
			line->type = type_words[i].type;
			return 0;
		}
	}
	return scan_refuse(&first, err, "expected a metric type");
}

/* Anything after '#'. What is not HELP, TYPE or EOF says nothing. */
static int take_comment(struct prom_parser *p, struct cursor *c,
			struct prom_line *line, struct err *err)
{
	struct str word;
	int code;

	c->p++;
	if (c->p < c->end && !in_class(*c->p, BLANK))
		return 0;
	scan_blanks(c);
	word = scan_word(c);
	scan_blanks(c);
	if (c->p == c->end && str_is(word, "EOF"))
		line->kind = PROM_EOF;
	if (str_is(word, "obs-scrape") && str_is(scan_word(c), "stream"))
		line->kind = PROM_STREAM;
	if ((!str_is(word, "HELP") && !str_is(word, "TYPE")) || c->p == c->end)
		return 0;
	code = scan_utf8(c, err);
	if (code == 0)
		code = take_family_name(p, c, line, err);
	scan_blanks(c);
	if (code < 0)
		return code;
	return word.p[0] == 'H' ? take_help(p, c, line, err)
				: take_type(c, line, err);
}

int prom_parse(struct prom_parser *p, struct str text, enum prom_unit unit,
	       struct prom_line *line, struct err *err)
{
	struct cursor c = {.p = text.p, .end = text.p + text.n};
	bool multibyte;
	int code;

	if (p->used_scratch)
		arena_reset(&p->scratch);
	p->used_scratch = false;
	*line = (struct prom_line){.kind = PROM_NOTHING, .labels = p->labels};
	c.start = c.p;
	while (c.end > c.p && c.end[-1] == '\r') /* CRLF, or copied so twice */
		c.end--;
	scan_blanks(&c);
	if (c.p == c.end)
		return 0;
	scan_over(text, &multibyte, &c.escapes);
	if (*c.p == '#')
		return take_comment(p, &c, line, err);
	if (multibyte) {
		code = scan_utf8(&c, err);
		if (code < 0)
			return code;
	}
	return take_sample(p, &c, unit, line, err);
}
