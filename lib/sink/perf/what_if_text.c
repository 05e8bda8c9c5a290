/*
 * One screen about which remedies would have helped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rollout/what_if/advice.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"

enum { CAUSES_SHOWN = 5, LINE = 100, LEAST = 30 /* of the last column */ };

static void put_name(struct buf *line, struct str name)
{
	table_escape(line, name);
}

static void put_interval(struct buf *text, const struct what_if_remedy *remedy);

static void put_best(struct buf *line, const struct digest *digest)
{
	const struct what_if *w = digest->what_if;
	const struct what_if_remedy *best = what_if_best(w);

	if (best == NULL) {
		buf_puts(line, "no remedy is sure to save time");
		return;
	}
	buf_puts(line, "best remedy: ");
	what_if_put_title(line, best);
	buf_puts(line, ", ");
	what_if_put_seconds(line, best->wall);
	buf_puts(line, " s (");
	put_interval(line, best);
	buf_printf(line, " s), %.0f%% less: ",
		   100 * (1 - best->wall / w->model.wall));
	what_if_put_change(line, w, best, &digest->workers);
}

/* "rollout_42.pt: 4.15 s; best remedy: engines equal, 1.16 s (1.09 - 1.26 s),
 * 72% less: repair or replace 10.0.0.4:30000 (decode steps 4.4 times as long)" */
static int put_head(struct out *out, const struct digest *digest,
		    struct err *err)
{
	const struct what_if *w = digest->what_if;
	struct buf line = buf_new(LIMIT_STRING);

	put_name(&line, str_of(digest->dump));
	buf_puts(&line, ": ");
	what_if_put_seconds(&line, w->model.wall);
	buf_puts(&line, " s; ");
	what_if_put_trouble(&line, digest);
	if (w->check.ok)
		put_best(&line, digest);
	else
		buf_printf(&line, "no remedy could be estimated: %s",
			   w->check.refused[0]);
	return table_put_wrapped(&line, LINE, out, err);
}

/* Less than this is not shown. */
static const double least_shown = 0.0005; /* s */

struct shown_cause {
	enum what_if_cause cause;
	double seconds;
};

static int by_seconds(const void *x, const void *y)
{
	const struct shown_cause *a = x;
	const struct shown_cause *b = y;

	if (a->seconds != b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return (int)a->cause - (int)b->cause;
}

static void put_cause(struct buf *line, const struct digest *digest,
		      enum what_if_cause cause)
{
	const struct what_if *w = digest->what_if;

	if (cause != CAUSE_IMBALANCE || w->bill.idle_engine == WHAT_IF_NONE) {
		buf_puts(line, what_if_cause_word(cause));
		return;
	}
	buf_puts(line, "queue while ");
	put_name(line, intern_text(&digest->workers.texts,
				   w->model.engines[w->bill.idle_engine]));
	buf_puts(line, " had no queue");
}

/* " (6.04 of it while its engine stalled)" */
static void put_stalled(struct buf *line, const struct digest *digest,
			enum what_if_cause cause)
{
	const struct what_if *w = digest->what_if;
	double stalled = w->bill.queue_stalled;

	if (cause != CAUSE_QUEUE || !w->check.fits || stalled < least_shown)
		return;
	buf_puts(line, " (");
	what_if_put_seconds(line, stalled);
	buf_puts(line, " of it while its engine stalled)");
}

/* "#107 (group 13) ended last and spent (s): slow engine 1.63, queue ..." */
static int put_bill(struct out *out, const struct digest *digest,
		    struct err *err)
{
	const struct what_if_bill *bill = &digest->what_if->bill;
	const struct row_store *store = &digest->store;
	const struct stored_row *row = &store->rows[bill->place];
	struct buf line = buf_new(LIMIT_STRING);
	struct shown_cause causes[CAUSES];
	const char *comma = "";
	double rest = 0;

	for (int i = 0; i < CAUSES; i++)
		causes[i] = (struct shown_cause){(enum what_if_cause)i,
						 bill->seconds[i]};
	qsort(causes, CAUSES, sizeof(*causes), by_seconds);
	buf_putc(&line, '#');
	put_name(&line, stored_row_sample(store, row));
	buf_puts(&line, " (group ");
	put_name(&line, stored_row_group(store, row));
	buf_puts(&line, ") ended last and spent (s): ");
	for (int i = 0; i < CAUSES; i++) {
		if (i >= CAUSES_SHOWN || causes[i].seconds < least_shown) {
			rest += causes[i].seconds;
			continue;
		}
		buf_puts(&line, comma);
		comma = ", ";
		put_cause(&line, digest, causes[i].cause);
		buf_putc(&line, ' ');
		what_if_put_seconds(&line, causes[i].seconds);
		put_stalled(&line, digest, causes[i].cause);
	}
	if (rest >= least_shown || *comma == '\0') {
		buf_printf(&line, "%srest ", comma);
		what_if_put_seconds(&line, fmax(rest, 0));
	}
	if (table_put_wrapped(&line, LINE, out, err) < 0)
		return err->code;
	return 0;
}

/* Prices ------------------------------------------------------------------ */

/* Does it have a line in the table? */
static bool has_line(const struct what_if_remedy *remedy)
{
	return remedy->refused[0] == '\0' &&
	       ((remedy->recorded && remedy->saves > 0) || remedy->range_only ||
		remedy->sure || remedy->kind >= REMEDY_KINDS);
}

/* Estimates first, then ranges, recorded times last; each by time. */
static int by_price(const void *x, const void *y)
{
	const struct what_if_remedy *a =
		*(const struct what_if_remedy *const *)x;
	const struct what_if_remedy *b =
		*(const struct what_if_remedy *const *)y;
	int from = a->recorded ? 2 : a->range_only;
	int to = b->recorded ? 2 : b->range_only;

	if (from != to)
		return from - to;
	if (a->wall != b->wall)
		return a->wall < b->wall ? -1 : 1;
	return (a > b) - (a < b);
}

static void add_text(struct table *table, struct buf *text)
{
	table_add(table, buf_str(text));
	table->text.failed |= text->failed;
	buf_clear(text);
}

/* "3.26 - 3.66", or "up to 3.66". */
static void put_interval(struct buf *text, const struct what_if_remedy *remedy)
{
	if (isnan(remedy->low)) {
		buf_puts(text, "up to ");
	} else {
		what_if_put_seconds(text, remedy->low);
		buf_puts(text, " - ");
	}
	what_if_put_seconds(text, remedy->high);
}

static void add_price(struct table *table, const struct what_if *w,
		      const struct what_if_remedy *remedy, struct buf *text)
{
	if (!remedy->range_only)
		what_if_put_seconds(text, remedy->wall);
	add_text(table, text);
	if (remedy->recorded)
		buf_puts(text, "recorded");
	else
		put_interval(text, remedy);
	add_text(table, text);
	if (!remedy->range_only)
		buf_printf(text, "%+.0f%%",
			   100 * (remedy->wall / w->model.wall - 1));
	add_text(table, text);
}

/* The text in as many rows as it needs, which have nothing else. */
static void add_wrapped(struct table *table, struct str text, size_t width)
{
	for (;;) {
		size_t n = table_line_length(text, width);

		table_add(table, str_make(text.p, n));
		n += n < text.n;
		text = str_make(text.p + n, text.n - n);
		if (text.n == 0)
			return;
		for (size_t i = 1; i < table->column_count; i++)
			table_add(table, str_make("", 0));
	}
}

/* What is left of a line for the last column, after titles of that width. */
static size_t last_width(struct table *table,
			 const struct what_if_remedy *const *lines, size_t n)
{
	/* wall, interval, change, and two spaces after each column */
	size_t used = strlen("wall (s)") + strlen("100.0 - 100.0") +
		      strlen("change") + 8,
	       title = 0;
	struct buf text = buf_new(LIMIT_STRING);

	for (size_t i = 0; i < n; i++) {
		buf_clear(&text);
		what_if_put_title(&text, lines[i]);
		title = text.n > title ? text.n : title;
		table->text.failed |= text.failed;
	}
	buf_free(&text);
	return used + title + LEAST < LINE ? LINE - used - title : LEAST;
}

static void add_remedy(struct table *table, const struct digest *digest,
		       const struct what_if_remedy *remedy, size_t width,
		       struct buf *text)
{
	const struct what_if *w = digest->what_if;

	what_if_put_title(text, remedy);
	add_text(table, text);
	add_price(table, w, remedy, text);
	what_if_put_doubt(text, w, remedy);
	if (text->n > 0)
		buf_puts(text, "; ");
	if (remedy == what_if_best(w)) /* in the head */
		buf_puts(text, "see above");
	else
		what_if_put_change(text, w, remedy, &digest->workers);
	buf_puts(text, "; ");
	what_if_put_cost(text, w, remedy);
	add_wrapped(table, buf_str(text), width);
	table->text.failed |= text->failed;
	buf_clear(text);
}

static int put_prices(struct out *out, const struct digest *digest,
		      struct err *err)
{
	static const struct table_column columns[] = {
		{"remedy", TABLE_LEFT},
		{"wall (s)", TABLE_RIGHT},
		{"interval (s)", TABLE_RIGHT},
		{"change", TABLE_RIGHT},
		{"what to change, and what it costs", TABLE_LEFT}};
	const struct what_if *w = digest->what_if;
	const struct what_if_remedy *lines[REMEDY_KINDS + WHAT_IF_OWN_MAX];
	struct buf text = buf_new(LIMIT_STRING);
	struct table table;
	size_t n = 0, width;

	for (size_t i = 0; i < w->remedy_count; i++)
		if (has_line(&w->remedies[i]))
			lines[n++] = &w->remedies[i];
	if (n == 0)
		return 0;
	qsort(lines, n, sizeof(*lines), by_price);
	table = table_new(columns, 5);
	width = last_width(&table, lines, n);
	for (size_t i = 0; i < n; i++)
		add_remedy(&table, digest, lines[i], width, &text);
	buf_free(&text);
	return table_put(&table, out, err);
}

/* The rest ---------------------------------------------------------------- */

static int put_unsure(struct out *out, const struct what_if *w, struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);
	bool any = false;

	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];

		if (remedy->refused[0] != '\0' || remedy->recorded ||
		    has_line(remedy))
			continue;
		buf_puts(&line, any ? "; " : "may save nothing: ");
		any = true;
		what_if_put_title(&line, remedy);
		buf_puts(&line, ": ");
		what_if_put_seconds(&line, remedy->wall);
		buf_puts(&line, " s (");
		put_interval(&line, remedy);
		buf_putc(&line, ')');
	}
	if (any)
		return table_put_wrapped(&line, LINE, out, err);
	buf_free(&line);
	return 0;
}

/* The recorded times that are not shorter than the wall. */
static int put_useless(struct out *out, const struct what_if *w,
		       struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);
	bool any = false;

	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];

		if (remedy->refused[0] != '\0' || !remedy->recorded ||
		    has_line(remedy))
			continue;
		buf_puts(&line, any ? ", " : "saves no time: ");
		any = true;
		what_if_put_title(&line, remedy);
	}
	if (any)
		return table_put_wrapped(&line, LINE, out, err);
	buf_free(&line);
	return 0;
}

/* The remedies rejected for the same reason as the first one; marks them as
 * shown. */
static void put_reason(struct buf *line, const struct what_if *w, size_t first,
		       bool *shown)
{
	const char *reason = w->remedies[first].refused;

	for (size_t i = first; i < w->remedy_count; i++) {
		if (!str_is(str_of(w->remedies[i].refused), reason))
			continue;
		buf_puts(line, i == first ? "" : ", ");
		buf_puts(line, w->remedies[i].id);
		shown[i] = true;
	}
	buf_printf(line, " (%s)", reason);
}

/* What the engines would have made of more requests is in no record. */
static void put_client_limit(struct buf *line, uint32_t limit)
{
	buf_printf(line,
		   "more than %u generating at once (never seen; try a higher "
		   "slime --sglang-server-concurrency)",
		   limit);
}

static int put_refused(struct out *out, const struct what_if *w,
		       struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);
	bool shown[REMEDY_KINDS + WHAT_IF_OWN_MAX] = {false};
	bool any = false;

	for (size_t i = 0; i < w->remedy_count; i++) {
		if (shown[i] || w->remedies[i].refused[0] == '\0')
			continue;
		buf_puts(&line, any ? "; " : "not estimated: ");
		put_reason(&line, w, i, shown);
		any = true;
	}
	if (w->model.client_limit > 0) {
		buf_puts(&line, any ? "; " : "not estimated: ");
		put_client_limit(&line, w->model.client_limit);
		any = true;
	}
	if (any)
		return table_put_wrapped(&line, LINE, out, err);
	buf_free(&line);
	return 0;
}

static int put_stack(struct out *out, const struct what_if *w, struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);

	if (w->stack_count == 0)
		return 0;
	for (size_t i = 0; i < w->stack_count; i++) {
		buf_puts(&line, i == 0 ? "together: " : ", then ");
		what_if_put_title(&line, w->stack[i].remedy);
		buf_putc(&line, ' ');
		what_if_put_seconds(&line, w->stack[i].wall);
		buf_puts(&line, " s");
	}
	return table_put_wrapped(&line, LINE, out, err);
}

/* What other routing can do, and what it does by chance. Remedies can take less:
 * they change answers or engines. */
static int put_routing(struct out *out, const struct what_if *w,
		       struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);
	bool work = w->bounds.work > w->bounds.longest;

	buf_puts(&line, "lower bound for any routing, with the same answers "
			"and engines: ");
	what_if_put_seconds(&line, work ? w->bounds.work : w->bounds.longest);
	buf_puts(&line, " s");
	if (w->has_luck) {
		buf_puts(&line, "; random routing ");
		what_if_put_seconds(&line, w->luck_p5);
		buf_puts(&line, " - ");
		what_if_put_seconds(&line, w->luck_p95);
		buf_puts(&line, " s");
	}
	return table_put_wrapped(&line, LINE, out, err);
}

/* The first one is in the head. */
static int put_reasons(struct out *out, const struct what_if *w,
		       struct err *err)
{
	for (size_t i = 1; i < w->check.refused_count; i++) {
		struct buf line = buf_new(LIMIT_STRING);

		buf_printf(&line, "and: %s", w->check.refused[i]);
		if (table_put_wrapped(&line, LINE, out, err) < 0)
			return err->code;
	}
	return 0;
}

static int put_nothing(struct out *out, const struct digest *digest,
		       struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);

	put_name(&line, str_of(digest->dump));
	buf_printf(&line, ": no remedy could be estimated: %s",
		   digest->what_if->refused);
	return table_put_wrapped(&line, LINE, out, err);
}

int what_if_put_text(struct out *out, const struct digest *digest,
		     struct err *err)
{
	const struct what_if *w = digest->what_if;

	if (w->refused[0] != '\0')
		return put_nothing(out, digest, err);
	if (put_head(out, digest, err) < 0 || put_reasons(out, w, err) < 0 ||
	    what_if_put_engines(out, digest, err) < 0 ||
	    put_bill(out, digest, err) < 0 ||
	    what_if_put_check(out, digest, err) < 0 ||
	    put_prices(out, digest, err) < 0 || put_unsure(out, w, err) < 0 ||
	    put_useless(out, w, err) < 0 || put_refused(out, w, err) < 0)
		return err->code;
	if (!w->check.ok)
		return 0;
	return put_stack(out, w, err) < 0 ? err->code
					  : put_routing(out, w, err);
}
