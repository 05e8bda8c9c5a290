/* The series of the sample before once more, with other values of its labels:
 * read by comparing, without a search for the line's end. */
#include <math.h>

#include "base/num.h"
#include "fmt/prom/prom_parts.h"

/* Does the value, if there is one, stand at p up to a quote? */
static bool is_value(const char *p, const char *end, struct str value)
{
	return value.n > 0 && (size_t)(end - p) > value.n &&
	       p[value.n] == '"' && memcmp(p, value.p, value.n) == 0;
}

/*
 * Does the text at front begin with the series, but for the value of its label
 * at index i? Where the series ends; NULL: no, or not in what is there. *value
 * is a likely one, or empty, and becomes the one that is read, in plain ASCII.
 */
static const char *take_again(const struct prom_seen *seen, struct str front,
			      size_t i, struct str *value)
{
	size_t at = prom_seen_value(seen, i);
	size_t behind = at + seen->labels[i].value.n, n = seen->n - behind;
	const char *p, *end = front.p + front.n;

	if (front.n < at || memcmp(front.p, seen->text, at) != 0)
		return NULL;
	p = front.p + at;
	if (is_value(p, end, *value)) {
		p += value->n;
	} else {
		p = scan_plain(p, end);
		*value = str_make(front.p + at, (size_t)(p - front.p) - at);
	}
	if ((size_t)(end - p) < n || memcmp(p, seen->text + behind, n) != 0)
		return NULL;
	return p + n;
}

/* A blank, a value and LF, as nearly all lines end: the bytes, 0 when it is
 * otherwise. */
static size_t take_plain_value(struct str rest, double *value)
{
	size_t n = 0;

	if (rest.n > 0 && rest.p[0] == ' ')
		n = 1 +
		    num_scan_double(str_make(rest.p + 1, rest.n - 1), value);
	if (n < 2 || n == rest.n || rest.p[n] != '\n' || isinf(*value))
		return 0;
	return n + 1;
}

/* Value, timestamp and the line's end: as take_plain_value. */
static size_t take_value(struct str rest, enum prom_unit unit,
			 struct prom_line *line)
{
	const char *lf = memchr(rest.p, '\n', rest.n);
	struct cursor c = {.p = rest.p, .end = lf, .start = rest.p};

	if (lf == NULL)
		return 0;
	scan_trim_cr(&c);
	if (!at_word_end(&c) || prom_take_point(&c, unit, line, NULL) != 0 ||
	    c.p < c.end)
		return 0;
	return (size_t)(lf - rest.p) + 1;
}

/* What stands behind the series, to the end of the line: the bytes of both. */
static size_t take_rest(struct str text, const char *rest, enum prom_unit unit,
			struct prom_line *line)
{
	size_t series = (size_t)(rest - text.p), n = 0;
	struct str point = str_make(rest, text.n - series);

	if (!line->stamped)
		n = take_plain_value(point, &line->value);
	if (n == 0)
		n = take_value(point, unit, line);
	return n == 0 ? 0 : series + n;
}

/* Is the whole line there? The text may end within it, and what is compared
 * with half a line is forgotten. */
static bool is_whole(const struct prom_seen *seen, struct str text)
{
	return text.n > seen->n * 2 || memchr(text.p, '\n', text.n) != NULL;
}

size_t prom_parse_again(struct prom_parser *p, struct str text,
			enum prom_unit unit, size_t i, struct str *label,
			struct prom_line *line)
{
	const char *rest = NULL;

	if (p->last != NULL)
		rest = take_again(p->last, text, i, label);
	return rest == NULL ? 0 : take_rest(text, rest, unit, line);
}

size_t prom_parse_like(struct prom_parser *p, struct str text,
		       enum prom_unit unit, struct prom_line *line,
		       struct prom_change *change)
{
	struct prom_seen *seen = p->last;

	if (seen == NULL || !prom_seen_begins(seen, text) ||
	    !is_whole(seen, text))
		return 0;
	if (!prom_seen_take(seen, text)) {
		p->last = NULL;
		return 0;
	}
	*change = seen->change;
	return take_rest(text, text.p + seen->n, unit, line);
}
