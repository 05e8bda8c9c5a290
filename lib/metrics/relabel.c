#include "metrics/relabel.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/prom/prom_check.h"
#include "metrics/relabel_parts.h"

/* Names of metrics and labels in one snapshot, and their HELP. */
#define SEEN_BYTES (256 * MIB)

struct relabeler relabel_new(void)
{
	return (struct relabeler){.text = buf_new(LIMIT_BODY),
				  .body = 1,
				  .parser = prom_parser_new(),
				  .seen = intern_new(SEEN_BYTES),
				  .name = buf_new(LIMIT_LINE),
				  .help = buf_new(LIMIT_LINE),
				  .texts = arena_new(LIMIT_LINE),
				  .scratch = arena_new(LIMIT_LINE * 4)};
}

void relabel_free(struct relabeler *r)
{
	buf_free(&r->text);
	buf_free(&r->name);
	buf_free(&r->help);
	label_set_free(&r->added);
	label_set_free(&r->merged);
	arena_free(&r->texts);
	arena_free(&r->scratch);
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

/* Undo what was written for the body. */
static void forget_body(struct relabeler *r)
{
	for (size_t i = 0; i < r->seen_cap; i++)
		if (r->seen_in[i] == r->body)
			r->seen_in[i] = 0;
	buf_clear(&r->text);
}

/* Keep the labels to add in the output format. */
static int set_added(struct relabeler *r, const struct relabel_rules *rules,
		     struct err *err)
{
	int rc = 0;

	arena_reset(&r->texts);
	r->added.n = 0;
	for (size_t i = 0; rc == 0 && i < rules->n; i++)
		rc = labels_push_plain(&r->added, rules->labels[i].name,
				       rules->labels[i].value, &r->texts, err);
	return rc;
}

/* Checks before reading; sets whether it is OpenMetrics. */
static int check_body(struct relabel_writer *w, const struct relabel_body *body,
		      struct err *err)
{
	struct str text = str_trim(body->text);
	bool named = str_has_nocase(str_of(body->type), "openmetrics");
	bool eof = prom_ends_in_eof(text);
	const char *other = prom_check_other(text);

	w->openmetrics = named || eof;
	if (text.n == 0 && !body->end_known)
		return err_set(err, ERR_INPUT, "the body is empty");
	if (other)
		return err_set(err, ERR_INPUT, "%s, not metrics", other);
	if (named && !eof)
		return err_set(err, ERR_INPUT,
			       "truncated: OpenMetrics without its # EOF");
	if (!body->end_known && !eof && body->text.p[body->text.n - 1] != '\n')
		return err_set(err, ERR_INPUT,
			       "truncated: the last line has no end");
	return 0;
}

/* Skip a bad line, unless even one is too many. */
static int note_bad_line(struct relabel_writer *w, const struct err *why,
			 int64_t line, struct err *err)
{
	struct err here = *why;

	here.unit = ERR_LINE;
	here.at = line;
	if (w->counts->bad++ == 0)
		w->counts->first = here;
	if (why->code == ERR_MEMORY || w->rules->strict) {
		*err = here;
		return err->code;
	}
	return 0;
}

/* OpenMetrics seconds may be beyond text's milliseconds. */
static bool has_bad_time(const struct prom_line *line)
{
	return line->kind == PROM_SAMPLE && fabsl(line->time) >= 0x1p63L;
}

static int copy_line(struct relabel_writer *w, struct str text, int64_t number,
		     struct err *err)
{
	enum prom_unit unit = w->openmetrics ? PROM_SECONDS : PROM_MILLISECONDS;
	struct prom_line line;
	struct err why;

	if (prom_parse(&w->r->parser, text, unit, &line, &why) < 0)
		return note_bad_line(w, &why, number, err);
	if (has_bad_time(&line)) {
		err_set(&why, ERR_INPUT, "the timestamp is out of range");
		return note_bad_line(w, &why, number, err);
	}
	w->counts->odd += line.odd_escape != 0;
	if (line.kind == PROM_STREAM) /* ends in # EOF, but is text */
		w->openmetrics = false;
	if (line.kind == PROM_SAMPLE)
		return relabel_put_sample(w, &line, err);
	if (line.kind == PROM_HELP || line.kind == PROM_TYPE)
		relabel_hold_metadata(w, &line);
	return 0;
}

static int copy_lines(struct relabel_writer *w, struct str text,
		      struct err *err)
{
	int64_t number = 0;
	int rc = 0;

	while (text.n > 0 && rc == 0)
		rc = copy_line(w, str_cut(&text, '\n'), ++number, err);
	if (rc < 0)
		return rc;
	relabel_end_family(w);
	if (w->counts->samples == 0 && w->counts->bad > 0) {
		*err = w->counts->first;
		return err->code;
	}
	return w->r->text.failed ? buf_error(&w->r->text, err) : 0;
}

int relabel_copy(struct relabeler *r, const struct relabel_body *body,
		 const struct relabel_rules *rules,
		 struct relabel_counts *counts, struct err *err)
{
	struct relabel_writer w = {.r = r, .rules = rules, .counts = counts};
	int rc;

	*counts = (struct relabel_counts){0};
	buf_clear(&r->text);
	r->body++;
	rc = check_body(&w, body, err);
	if (rc < 0)
		return rc;
	rc = set_added(r, rules, err);
	if (rc == 0)
		rc = copy_lines(&w, str_skip_bom(body->text), err);
	if (rc < 0)
		forget_body(r);
	return rc;
}

static int add_gauge(struct relabel_writer *w, const char *name, double value,
		     struct err *err)
{
	struct prom_line type = {
		.kind = PROM_TYPE, .type = PROM_GAUGE, .name = str_of(name)};
	struct prom_line sample = {.kind = PROM_SAMPLE,
				   .name = str_of(name),
				   .value = value,
				   .time = NAN};

	relabel_hold_metadata(w, &type);
	return relabel_put_sample(w, &sample, err);
}

int relabel_add_up(struct relabeler *r, bool is_up, double seconds,
		   uint64_t samples, const struct relabel_rules *rules,
		   struct err *err)
{
	struct relabel_counts own = {0};
	struct relabel_writer w = {.r = r, .rules = rules, .counts = &own};

	int rc = set_added(r, rules, err);

	if (rc == 0)
		rc = add_gauge(&w, "up", is_up, err);
	if (rc == 0)
		rc = add_gauge(&w, "scrape_duration_seconds", seconds, err);
	if (rc == 0)
		rc = add_gauge(&w, "scrape_samples_scraped", (double)samples,
			       err);
	if (rc == 0 && r->text.failed)
		rc = buf_error(&r->text, err);
	return rc;
}
