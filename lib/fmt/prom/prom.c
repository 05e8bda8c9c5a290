#include "fmt/prom/prom.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"
#include "fmt/prom/prom_parts.h"
#include "fmt/prom/prom_text.h"

static const double MOST_SET = 1e10; /* seconds: three hundred years */

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

/* A sample's value: decimal and in range, or a special one. */
static int take_value(struct cursor *c, double *value, struct err *err)
{
	const char *first = c->p;
	const char *wanted = "expected a number";

	c->p += num_scan_double(str_make(first, (size_t)(c->end - first)),
				value);
	if (c->p > first && at_word_end(c)) {
		if (!isinf(*value))
			return 0;
		wanted = "expected a number that a double can hold";
	} else {
		c->p = first;
		if (prom_number(scan_word(c), value))
			return 0;
	}
	c->p = first;
	return scan_error(c, err, wanted);
}

/* Any number is a valid exemplar timestamp; only its syntax is checked. */
static int take_exemplar_rest(struct cursor *c, struct err *err)
{
	double ignored;
	int code = take_value(c, &ignored, err);

	scan_blanks(c);
	if (code == 0 && c->p < c->end)
		code = take_value(c, &ignored, err);
	return code;
}

/* "# {LABELS} VALUE [TIME]" after a sample: checked and ignored. */
static int skip_exemplar(struct prom_parser *p, struct cursor *c,
			 struct prom_line *line, struct err *err)
{
	/* Its labels are stored after those of the line, which keeps its
	 * name. */
	struct prom_line exemplar = {.name = line->name,
				     .labels = p->labels,
				     .n_labels = line->n_labels};
	int code;

	c->p++;
	scan_blanks(c);
	if (!at(c, '{'))
		return scan_error(c, err, "expected '{' of an exemplar");
	code = prom_take_labels(p, c, &exemplar, err);
	line->labels = p->labels;
	scan_blanks(c);
	return code < 0 ? code : take_exemplar_rest(c, err);
}

/* Samples ------------------------------------------------------------- */

static int take_seconds(struct cursor *c, long double *time, struct err *err)
{
	double seconds;
	int code = take_value(c, &seconds, err);

	if (code == 0 && !isfinite(seconds))
		return scan_error(c, err,
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
		return scan_error(&first, err,
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

/* The rest of a sample after its series: value, timestamp, and blanks. */
static int take_point(struct cursor *c, enum prom_unit unit,
		      struct prom_line *line, struct err *err)
{
	int code;

	scan_blanks(c);
	code = take_value(c, &line->value, err);
	if (code < 0)
		return code;
	scan_blanks(c);
	if (c->p < c->end && *c->p != '#') {
		code = take_time(c, unit, line, err);
		line->stamped = true;
		scan_blanks(c);
	}
	return code;
}

static int take_end(struct prom_parser *p, struct cursor *c,
		    struct prom_line *line, struct err *err)
{
	int code = at(c, '#') ? skip_exemplar(p, c, line, err) : 0;

	scan_blanks(c);
	if (code == 0 && c->p < c->end)
		return scan_error(c, err, "expected the end of the line");
	return code;
}

static int take_sample(struct prom_parser *p, struct cursor *c,
		       enum prom_unit unit, struct prom_line *line,
		       struct err *err)
{
	int code;

	line->kind = PROM_SAMPLE;
	line->time = (long double)NAN;
	code = prom_take_series(p, c, line, err);
	if (code == 0)
		code = take_point(c, unit, line, err);
	if (code == 0)
		code = take_end(p, c, line, err);
	line->odd_escape = p->odd_escape;
	return code;
}

static struct str line_of(const struct cursor *c)
{
	return str_make(c->start, (size_t)(c->end - c->start));
}

/* Comments ------------------------------------------------------------ */

static int take_family_name(struct prom_parser *p, struct cursor *c,
			    struct prom_line *line, struct err *err)
{
	struct cursor first = *c;

	if (at(c, '"'))
		return prom_take_quoted(p, c, &line->name, err);
	line->name = scan_word(c);
	if (prom_plain_name(line->name))
		return 0;
	return scan_error(&first, err, "expected a metric name");
}

static int take_help(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err)
{
	struct str text = str_make(c->p, (size_t)(c->end - c->p));

	line->kind = PROM_HELP;
	line->help = text;
	p->used_scratch = true;
	line->help = prom_canonical(&p->scratch, text, true);
	return line->help.p == NULL ? arena_error(&p->scratch, err) : 0;
}

static int take_type(struct cursor *c, struct prom_line *line, struct err *err)
{
	struct cursor first = *c;
	struct str word = scan_word(c);

	scan_blanks(c);
	line->kind = PROM_TYPE;
	if (c->p == c->end && prom_type_read(word, &line->type))
		return 0;
	return scan_error(&first, err, "expected a metric type");
}

/* What obs-scrape says of its stream. */
static void take_scrape_comment(struct cursor *c, struct prom_line *line)
{
	struct str word = scan_word(c);
	double seconds;

	if (str_is(word, "stream"))
		line->kind = PROM_STREAM;
	if (!str_is(word, "clock"))
		return;
	scan_blanks(c);
	if (num_parse_double(scan_word(c), &seconds) &&
	    fabs(seconds) <= MOST_SET) {
		line->kind = PROM_CLOCK;
		line->value = seconds;
	}
}

/* Anything after '#'. Only HELP, TYPE and EOF are significant. */
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
	if (str_is(word, "obs-scrape"))
		take_scrape_comment(c, line);
	if ((!str_is(word, "HELP") && !str_is(word, "TYPE")) || c->p == c->end)
		return 0;
	code = scan_utf8(c, line_of(c), err);
	if (code == 0)
		code = take_family_name(p, c, line, err);
	scan_blanks(c);
	if (code < 0)
		return code;
	return word.p[0] == 'H' ? take_help(p, c, line, err)
				: take_type(c, line, err);
}

/* Field by field: of a whole struct compilers make a string instruction, which
 * takes longer than the rest of a short line. */
static void begin_line(const struct prom_parser *p, struct prom_line *line)
{
	line->kind = PROM_NOTHING;
	line->type = PROM_UNTYPED;
	line->name = str_make(NULL, 0);
	line->help = str_make(NULL, 0);
	line->written = str_make(NULL, 0);
	line->lasts = false;
	line->labels = p->labels;
	line->n_labels = 0;
	line->hash = 0;
	line->value = 0;
	line->stamped = false;
	line->odd_escape = 0;
	line->time = 0;
}

int prom_parse(struct prom_parser *p, struct str text, enum prom_unit unit,
	       struct prom_line *line, struct err *err)
{
	struct cursor c = {
		.p = text.p, .end = text.p + text.n, .start = text.p};
	int code;

	if (p->used_scratch)
		arena_reset(&p->scratch);
	p->used_scratch = false;
	p->odd_escape = 0;
	begin_line(p, line);
	scan_trim_cr(&c);
	scan_blanks(&c);
	if (c.p == c.end)
		return 0;
	if (*c.p == '#')
		return take_comment(p, &c, line, err);
	code = take_sample(p, &c, unit, line, err);
	/* For bytes that are not text, report that instead. */
	if (code == ERR_INPUT && scan_utf8(&c, line_of(&c), err) < 0)
		return err->code;
	return code;
}
