#include "fmt/prom/prom_text.h"

#include <math.h>

#include "base/array.h"
#include "base/num.h"
#include "fmt/prom/prom_scan.h"

/* Words --------------------------------------------------------------- */

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

enum { TYPE_WORDS = ARRAY_SIZE(type_words) };

const char *prom_type_word(enum prom_type type)
{
	return type_words[type].word;
}

bool prom_type_read(struct str word, enum prom_type *type)
{
	for (size_t i = 0; i < TYPE_WORDS; i++) {
		if (!str_is(word, type_words[i].word))
			continue;
		*type = type_words[i].type;
		return true;
	}
	return false;
}

static bool is_plain(struct str s, unsigned char first, unsigned char rest)
{
	if (s.n == 0 || !in_class(s.p[0], first))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!in_class(s.p[i], rest))
			return false;
	return true;
}

bool prom_plain_name(struct str s)
{
	return is_plain(s, NAME_FIRST, NAME);
}

bool prom_plain_label(struct str s)
{
	return is_plain(s, LABEL_FIRST, LABEL);
}

/* Escapes ------------------------------------------------------------- */

/* Does the backslash at p begin an escape of the format? */
static bool is_escape(const char *p, const char *end, bool help)
{
	return p + 1 < end &&
	       (p[1] == '\\' || p[1] == 'n' || (p[1] == '"' && !help));
}

/* The number of unescaped literal backslashes. */
static size_t count_bare(struct str raw, bool help)
{
	const char *end = raw.p + raw.n;
	size_t bare = 0;

	for (const char *p = raw.p; p < end; p++) {
		if (*p != '\\')
			continue;
		if (is_escape(p, end, help))
			p++;
		else
			bare++;
	}
	return bare;
}

char prom_odd_escape(struct str raw)
{
	const char *end = raw.p + raw.n;

	for (const char *p = raw.p; p + 1 < end; p++) {
		if (*p != '\\')
			continue;
		if (!is_escape(p, end, false))
			return p[1];
		p++;
	}
	return 0;
}

struct str prom_canonical(struct arena *a, struct str raw, bool help)
{
	size_t bare = count_bare(raw, help);
	const char *end = raw.p + raw.n;
	char *copy, *at;

	if (bare == 0)
		return raw;
	copy = arena_alloc(a, raw.n + bare);
	if (copy == NULL)
		return str_make(NULL, 0);
	at = copy;
	for (const char *p = raw.p; p < end; p++) {
		*at++ = *p;
		if (*p != '\\')
			continue;
		*at++ = is_escape(p, end, help) ? *++p : '\\';
	}
	return str_make(copy, (size_t)(at - copy));
}

void prom_escape(struct buf *b, struct str plain)
{
	for (size_t i = 0; i < plain.n; i++) {
		char c = plain.p[i];

		if (c == '\\' || c == '"' || c == '\n')
			buf_putc(b, '\\');
		buf_putc(b, c == '\n' ? 'n' : c);
	}
}

void prom_unescape(struct buf *b, struct str canonical)
{
	const char *p = canonical.p;
	const char *end = p + canonical.n;

	while (p < end) {
		const char *backslash = memchr(p, '\\', (size_t)(end - p));
		const char *stop = backslash == NULL ? end : backslash;

		buf_put(b, p, (size_t)(stop - p));
		p = stop;
		if (end - p < 2)
			break;
		buf_putc(b, p[1] == 'n' ? '\n' : p[1]);
		p += 2;
	}
}

/* Numbers ------------------------------------------------------------- */

size_t prom_put_value(char out[PROM_NUMBER_MAX], double v)
{
	double whole = trunc(v);

	/* Counts are the common case; 0 + v turns -0 into 0. */
	if (whole == v && fabs(v) < 1e15)
		return num_put_int(out, (int64_t)v);
	return num_put_short(out, 0 + v);
}

size_t prom_put_time(char out[PROM_NUMBER_MAX], long double time)
{
	/* cppcheck-suppress incorrectLogicOperator ; it reads 0x1p63L as 0 */
	if (time >= -0x1p63L && time < 0x1p63L)
		return num_put_int(out, (int64_t)time);
	return num_put_repr(out, (double)time);
}

bool prom_number(struct str text, double *value)
{
	bool negative = text.n > 0 && text.p[0] == '-';
	struct str rest = text;

	if (num_parse_double(text, value))
		return true;
	if (negative || (text.n > 0 && text.p[0] == '+'))
		rest = str_skip(text, 1);
	if (str_is_nocase(rest, "inf") || str_is_nocase(rest, "infinity"))
		*value = negative ? -(double)INFINITY : (double)INFINITY;
	else if (str_is_nocase(text, "nan"))
		*value = (double)NAN;
	else
		return false;
	return true;
}

bool prom_bound(struct str text, double *bound)
{
	return prom_number(text, bound) && !isnan(*bound);
}

/* Label sets and lines ------------------------------------------------- */

size_t prom_put_label(char *out, const struct prom_label *label)
{
	bool quote = !prom_plain_label(label->name);
	char *at = out;

	if (quote)
		*at++ = '"';
	memcpy(at, label->name.p, label->name.n);
	at += label->name.n;
	if (quote)
		*at++ = '"';
	*at++ = '=';
	*at++ = '"';
	memcpy(at, label->value.p, label->value.n);
	at += label->value.n;
	*at++ = '"';
	return (size_t)(at - out);
}

/* The quote that ends a string whose inside begins at p. */
static const char *closing_quote(const char *p, const char *end)
{
	for (; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p < end ? p : end;
}

/* One label at p, where p < end; returns what follows it and its comma. */
static const char *read_label(const char *p, const char *end,
			      struct prom_label *label)
{
	const char *stop;

	label->hash = 0;
	if (*p == '"') {
		stop = closing_quote(++p, end);
		label->name = str_make(p, (size_t)(stop - p));
		stop += stop < end;
	} else {
		stop = memchr(p, '=', (size_t)(end - p));
		stop = stop == NULL ? end : stop;
		label->name = str_make(p, (size_t)(stop - p));
	}
	p = end - stop < 2 ? end : stop + 2;
	stop = closing_quote(p, end);
	label->value = str_make(p, (size_t)(stop - p));
	return end - stop < 2 ? end : stop + 2;
}

struct str prom_label_next(struct str text, struct prom_label *label)
{
	const char *end = text.p + text.n;
	const char *rest = read_label(text.p, end, label);

	return str_make(rest, (size_t)(end - rest));
}

size_t prom_labels_read(struct str text, struct prom_label *labels, size_t max)
{
	size_t n = 0;

	while (text.n > 0) {
		if (n == max)
			return max + 1;
		text = prom_label_next(text, &labels[n++]);
	}
	return n;
}

void prom_put_series(struct out *out, struct str name, struct str labels)
{
	bool plain = prom_plain_name(name);

	if (plain)
		out_put(out, name.p, name.n);
	if (plain && labels.n == 0)
		return;
	out_putc(out, '{');
	if (!plain) {
		out_putc(out, '"');
		out_put(out, name.p, name.n);
		out_put(out, "\",", labels.n == 0 ? 1 : 2);
	}
	out_put(out, labels.p, labels.n);
	out_putc(out, '}');
}

static void put_name(struct out *out, struct str name)
{
	bool plain = prom_plain_name(name);

	out_put(out, "\"", !plain);
	out_put(out, name.p, name.n);
	out_put(out, "\"", !plain);
}

void prom_put_family(struct out *out, struct str name, struct str help,
		     enum prom_type type, bool typed)
{
	if (help.n > 0) {
		out_puts(out, "# HELP ");
		put_name(out, name);
		out_putc(out, ' ');
		out_put(out, help.p, help.n);
		out_putc(out, '\n');
	}
	if (!typed)
		return;
	out_puts(out, "# TYPE ");
	put_name(out, name);
	out_putc(out, ' ');
	out_puts(out, prom_type_word(type));
	out_putc(out, '\n');
}

enum { POINT_MAX = 2 * PROM_NUMBER_MAX + 3 };

/* What follows the series of a sample: its value, its timestamp unless that is
 * NaN, and LF, POINT_MAX bytes at most; returns how many were written. */
static size_t put_point(char *out, double value, long double time)
{
	char *at = out;

	*at++ = ' ';
	at += prom_put_value(at, value);
	if (!isnan(time)) {
		*at++ = ' ';
		at += prom_put_time(at, time);
	}
	*at++ = '\n';
	return (size_t)(at - out);
}

void prom_put_sample(struct out *out, struct str name, struct str labels,
		     double value, long double time)
{
	prom_put_series(out, name, labels);
	out->n += put_point(out_room(out, POINT_MAX), value, time);
}

void prom_put_plain(struct out *out, struct str name, struct str labels,
		    double value, long double time)
{
	size_t n = name.n + labels.n + 2;
	char *start, *at;

	if (n >= OUT_SIZE - POINT_MAX) {
		prom_put_sample(out, name, labels, value, time);
		return;
	}
	start = at = out_room(out, n + POINT_MAX);
	memcpy(at, name.p, name.n);
	at += name.n;
	if (labels.n > 0) {
		*at++ = '{';
		memcpy(at, labels.p, labels.n);
		at += labels.n;
		*at++ = '}';
	}
	at += put_point(at, value, time);
	out->n += (size_t)(at - start);
}
