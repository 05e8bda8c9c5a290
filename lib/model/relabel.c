#include "model/relabel.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/prom_text.h"

#define EXPORTED "exported_"

/* Names of metrics and labels of one snapshot, and their HELP. */
#define SEEN_BYTES (256 * MIB)

/* A body while it is copied. */
struct copy {
	struct relabeler *r;
	const struct relabel_rules *rules;
	struct relabel_counts *counts;
	bool openmetrics;
	/* The metadata of a family is held until its first sample: the TYPE
	 * decides what name its HELP, which may come first, is written under.
	 */
	bool held;
	bool typed;
	enum prom_type type;
	char separator; /* before the next label of the sample */
};

struct relabeler relabel_new(void)
{
	return (struct relabeler){.text = buf_new(LIMIT_BODY),
				  .body = 1,
				  .parser = prom_parser_new(),
				  .seen = intern_new(SEEN_BYTES),
				  .name = buf_new(LIMIT_LINE),
				  .help = buf_new(LIMIT_LINE),
				  .added = buf_new(LIMIT_LINE)};
}

void relabel_free(struct relabeler *r)
{
	buf_free(&r->text);
	buf_free(&r->name);
	buf_free(&r->help);
	buf_free(&r->added);
	prom_parser_free(&r->parser);
	intern_free(&r->seen);
	free(r->seen_in);
}

void relabel_begin_snapshot(struct relabeler *r)
{
	intern_free(&r->seen);
	r->seen = intern_new(SEEN_BYTES);
	if (r->seen_in)
		memset(r->seen_in, 0, r->seen_cap * sizeof(*r->seen_in));
	r->body = 1;
}

/* Is this line of metadata new to the snapshot? When memory is short it may
 * be written again, which does no harm. */
static bool is_new(struct relabeler *r, struct str line)
{
	uint32_t number = intern_add(&r->seen, line);
	uint32_t cap = r->seen_cap ? r->seen_cap * 2 : 256;
	uint32_t *grown;

	if (number == INTERN_FAILED)
		return true;
	if (number >= r->seen_cap) {
		grown = realloc(r->seen_in, cap * sizeof(*grown));
		if (grown == NULL)
			return true;
		memset(grown + r->seen_cap, 0,
		       (cap - r->seen_cap) * sizeof(*grown));
		r->seen_in = grown;
		r->seen_cap = cap;
	}
	if (r->seen_in[number])
		return false;
	r->seen_in[number] = r->body;
	return true;
}

/* What the body wrote is not written after all. */
static void forget_body(struct relabeler *r)
{
	for (uint32_t i = 0; i < r->seen_cap; i++)
		if (r->seen_in[i] == r->body)
			r->seen_in[i] = 0;
	buf_clear(&r->text);
}

/* Metadata. */

/* What text 0.0.4 calls a type of OpenMetrics, and what is put after the
 * family's name there to have the name of its samples. */
static const struct {
	const char *suffix;
	enum prom_type type;
} as_text[PROM_TYPES] = {
	[PROM_UNTYPED] = {"", PROM_UNTYPED},
	[PROM_COUNTER] = {"_total", PROM_COUNTER},
	[PROM_GAUGE] = {"", PROM_GAUGE},
	[PROM_HISTOGRAM] = {"", PROM_HISTOGRAM},
	[PROM_SUMMARY] = {"", PROM_SUMMARY},
	[PROM_GAUGEHISTOGRAM] = {"", PROM_HISTOGRAM},
	[PROM_INFO] = {"_info", PROM_GAUGE},
	[PROM_STATESET] = {"", PROM_GAUGE},
};

/* "# WORD NAME" or "# WORD {"NAME"}" as the key of what was seen. */
static void put_metadata(struct buf *out, const char *word, struct str name,
			 const char *suffix)
{
	const char *quote = prom_plain_name(name) ? "" : "\"";

	buf_puts(out, word);
	buf_puts(out, quote);
	buf_put(out, name.p, name.n);
	buf_puts(out, suffix);
	buf_puts(out, quote);
}

/* Keep what was appended since start, unless the snapshot has it; key is how
 * many bytes of it tell. */
static void keep_if_new(struct relabeler *r, size_t start, size_t key)
{
	struct buf *out = &r->text;

	if (out->failed)
		return;
	if (is_new(r, str_make(out->p + start, key)))
		buf_putc(out, '\n');
	else
		out->n = start;
}

static void end_family(struct copy *c)
{
	struct relabeler *r = c->r;
	struct str name = buf_str(&r->name);
	const char *suffix = "";
	size_t start = r->text.n, key;

	if (!c->held)
		return;
	c->held = false;
	if (c->openmetrics && !str_ends(name, as_text[c->type].suffix))
		suffix = as_text[c->type].suffix;
	if (r->help.n > 0) {
		put_metadata(&r->text, "# HELP ", name, suffix);
		key = r->text.n - start;
		buf_putc(&r->text, ' ');
		buf_put(&r->text, r->help.p, r->help.n);
		keep_if_new(r, start, key);
	}
	start = r->text.n;
	if (c->typed) {
		put_metadata(&r->text, "# TYPE ", name, suffix);
		buf_putc(&r->text, ' ');
		buf_puts(&r->text, prom_type_word(as_text[c->type].type));
		keep_if_new(r, start, r->text.n - start);
	}
}

static void hold_metadata(struct copy *c, const struct prom_line *line)
{
	struct relabeler *r = c->r;

	if (c->held && !str_eq(buf_str(&r->name), line->name))
		end_family(c);
	if (!c->held) {
		c->held = true;
		c->typed = false;
		c->type = PROM_UNTYPED;
		buf_clear(&r->name);
		buf_clear(&r->help);
		buf_put(&r->name, line->name.p, line->name.n);
	}
	if (line->kind == PROM_TYPE) {
		c->typed = true;
		c->type = line->type;
	} else if (r->help.n == 0) {
		buf_put(&r->help, line->help.p, line->help.n);
	}
	r->text.failed |= r->name.failed || r->help.failed;
}

/* Samples. */

static bool has_label(const struct prom_label *v, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].value.n > 0 && str_eq(v[i].name, name))
			return true;
	return false;
}

static bool is_added(const struct copy *c, struct str name)
{
	return has_label(c->rules->labels, c->rules->n, name);
}

/* Is s the name with that many times "exported_" before it? */
static bool is_exported(struct str s, size_t times, struct str name)
{
	for (; times > 0 && str_starts(s, EXPORTED); times--)
		s = str_make(s.p + strlen(EXPORTED), s.n - strlen(EXPORTED));
	return times == 0 && str_eq(s, name);
}

static bool any_exported(const struct prom_label *v, size_t n, size_t times,
			 struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (is_exported(v[i].name, times, name))
			return true;
	return false;
}

/* How many times "exported_" makes a name that is not taken. */
static size_t count_exports(const struct copy *c, const struct prom_line *line,
			    struct str name)
{
	const struct relabel_rules *rules = c->rules;
	size_t times = 1;

	while (any_exported(line->labels, line->n_labels, times, name) ||
	       any_exported(rules->labels, rules->n, times, name))
		times++;
	return times;
}

static void put_separator(struct copy *c)
{
	buf_putc(&c->r->text, c->separator);
	c->separator = ',';
}

static void put_label(struct copy *c, const struct prom_label *label,
		      size_t exports)
{
	struct buf *out = &c->r->text;
	char *room;

	put_separator(c);
	for (; exports > 0; exports--)
		buf_puts(out, EXPORTED);
	room = buf_room(out, prom_label_room(label));
	if (room)
		out->n += prom_put_label(room, label);
}

/* Append one of the labels to add, whose text is plain. */
static void put_plain_label(struct buf *out, const struct prom_label *l)
{
	buf_put(out, l->name.p, l->name.n);
	buf_puts(out, "=\"");
	prom_escape(out, l->value);
	buf_putc(out, '"');
}

/* The labels to add, less those that the sample has and may keep. */
static void put_added(struct copy *c, const struct prom_line *line)
{
	const struct relabel_rules *rules = c->rules;

	for (size_t i = 0; i < rules->n; i++) {
		const struct prom_label *l = &rules->labels[i];

		if (l->value.n == 0 ||
		    has_label(line->labels, line->n_labels, l->name))
			continue;
		put_separator(c);
		put_plain_label(&c->r->text, l);
	}
}

static void put_labels(struct copy *c, const struct prom_line *line)
{
	if (c->rules->honor) {
		put_added(c, line);
	} else if (c->r->added.n > 0) {
		put_separator(c);
		buf_put(&c->r->text, c->r->added.p, c->r->added.n);
	}
	for (size_t i = 0; i < line->n_labels; i++) {
		const struct prom_label *l = &line->labels[i];
		size_t exports = 0;

		if (l->value.n == 0)
			continue;
		if (!c->rules->honor && is_added(c, l->name))
			exports = count_exports(c, line, l->name);
		put_label(c, l, exports);
	}
	if (c->separator == ',')
		buf_putc(&c->r->text, '}');
}

static void put_name(struct copy *c, struct str name)
{
	struct buf *out = &c->r->text;
	bool plain = prom_plain_name(name);

	c->separator = plain ? '{' : ',';
	if (!plain)
		buf_puts(out, "{\"");
	buf_put(out, name.p, name.n);
	if (!plain)
		buf_putc(out, '"');
}

static void put_numbers(struct copy *c, double value, long double time)
{
	char *room = buf_room(&c->r->text, 2 * PROM_NUMBER_MAX + 3);
	char *at = room;

	if (room == NULL)
		return;
	if (c->rules->stamped)
		time = c->rules->stamp;
	*at++ = ' ';
	at += prom_put_value(at, value);
	if (!isnan(time)) {
		*at++ = ' ';
		at += prom_put_time(at, time);
	}
	*at++ = '\n';
	c->r->text.n += (size_t)(at - room);
}

static void put_sample(struct copy *c, const struct prom_line *line)
{
	end_family(c);
	put_name(c, line->name);
	put_labels(c, line);
	put_numbers(c, line->value, line->time);
	c->counts->samples++;
}

/* Bodies. */

static bool ends_in_eof(struct str text)
{
	struct str s = str_trim(text);

	return str_ends(s, "\n# EOF") || str_is(s, "# EOF");
}

/* What can be told before reading; sets whether it is OpenMetrics. */
static int check_body(struct copy *c, const struct relabel_body *body,
		      struct err *err)
{
	struct str text = str_trim(body->text);
	bool named = str_has_nocase(str_of(body->type), "openmetrics");
	bool eof = ends_in_eof(text);

	c->openmetrics = named || eof;
	if (text.n == 0)
		return err_set(err, ERR_INPUT, "the body is empty");
	if (text.p[0] == '<' || str_has_nocase(str_of(body->type), "html"))
		return err_set(err, ERR_INPUT, "an HTML page, not metrics");
	if (named && !eof)
		return err_set(err, ERR_INPUT,
			       "truncated: OpenMetrics without its # EOF");
	if (!body->end_known && !eof && body->text.p[body->text.n - 1] != '\n')
		return err_set(err, ERR_INPUT,
			       "truncated: the last line has no end");
	return 0;
}

/* The labels to add, as they stand in most lines. */
static void render_added(struct relabeler *r, const struct relabel_rules *rules)
{
	buf_clear(&r->added);
	for (size_t i = 0; i < rules->n; i++) {
		if (rules->labels[i].value.n == 0)
			continue;
		if (r->added.n > 0)
			buf_putc(&r->added, ',');
		put_plain_label(&r->added, &rules->labels[i]);
	}
	r->text.failed |= r->added.failed;
}

/* A bad line costs itself only, unless that is too much already. */
static int note_bad_line(struct copy *c, const struct err *why, int64_t line,
			 struct err *err)
{
	struct err here = *why;

	here.unit = ERR_LINE;
	here.at = line;
	if (c->counts->bad++ == 0)
		c->counts->first = here;
	if (why->code == ERR_MEMORY || c->rules->strict) {
		*err = here;
		return err->code;
	}
	return 0;
}

/* OpenMetrics may count seconds that text has no milliseconds for. */
static bool has_bad_time(const struct prom_line *line)
{
	return line->kind == PROM_SAMPLE && fabsl(line->time) >= 0x1p63L;
}

static int copy_line(struct copy *c, struct str text, int64_t number,
		     struct err *err)
{
	enum prom_unit unit = c->openmetrics ? PROM_SECONDS : PROM_MILLISECONDS;
	struct prom_line line;
	struct err why;

	if (prom_parse(&c->r->parser, text, unit, &line, &why) < 0)
		return note_bad_line(c, &why, number, err);
	if (has_bad_time(&line)) {
		err_set(&why, ERR_INPUT, "the timestamp is out of range");
		return note_bad_line(c, &why, number, err);
	}
	if (line.kind == PROM_SAMPLE)
		put_sample(c, &line);
	else if (line.kind == PROM_HELP || line.kind == PROM_TYPE)
		hold_metadata(c, &line);
	return 0;
}

static int copy_lines(struct copy *c, struct str text, struct err *err)
{
	const char *end = text.p + text.n;
	int64_t number = 0;
	int rc = 0;

	for (const char *p = text.p; p < end && rc == 0;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		const char *stop = lf ? lf : end;

		rc = copy_line(c, str_make(p, (size_t)(stop - p)), ++number,
			       err);
		p = stop + 1;
	}
	if (rc < 0)
		return rc;
	end_family(c);
	if (c->counts->samples == 0 && c->counts->bad > 0) {
		*err = c->counts->first;
		return err->code;
	}
	return c->r->text.failed ? buf_refused(&c->r->text, err) : 0;
}

int relabel_copy(struct relabeler *r, const struct relabel_body *body,
		 const struct relabel_rules *rules,
		 struct relabel_counts *counts, struct err *err)
{
	struct copy c = {.r = r, .rules = rules, .counts = counts};
	int rc;

	*counts = (struct relabel_counts){0};
	buf_clear(&r->text);
	r->body++;
	rc = check_body(&c, body, err);
	if (rc < 0)
		return rc;
	render_added(r, rules);
	rc = copy_lines(&c, body->text, err);
	if (rc < 0)
		forget_body(r);
	return rc;
}

static void add_gauge(struct copy *c, const char *name, double value)
{
	struct prom_line type = {
		.kind = PROM_TYPE, .type = PROM_GAUGE, .name = str_of(name)};
	struct prom_line sample = {.kind = PROM_SAMPLE,
				   .name = str_of(name),
				   .value = value,
				   .time = NAN};

	hold_metadata(c, &type);
	put_sample(c, &sample);
}

int relabel_add_up(struct relabeler *r, bool is_up, double seconds,
		   uint64_t samples, const struct relabel_rules *rules,
		   struct err *err)
{
	struct relabel_counts own = {0};
	struct copy c = {.r = r, .rules = rules, .counts = &own};

	render_added(r, rules);
	add_gauge(&c, "up", is_up);
	add_gauge(&c, "scrape_duration_seconds", seconds);
	add_gauge(&c, "scrape_samples_scraped", (double)samples);
	return r->text.failed ? buf_refused(&r->text, err) : 0;
}
