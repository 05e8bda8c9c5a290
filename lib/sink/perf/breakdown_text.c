#include "sink/perf/breakdown_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "base/num.h"
#include "sink/table.h"

/* More spans than this do not fit a screen. */
enum { SPANS_MAX = 24, LINE_MAX_BYTES = 4096 };

static void add_percent(struct table *table, double share)
{
	if (isnan(share))
		table_add(table, str_make("-", 1));
	else
		table_addf(table, "%.1f%%", share * 100);
}

static void add_seconds(struct table *table, double seconds)
{
	table_addf(table, "%.3f", seconds);
}

/* " 12.3%", or " -" if the divisor is 0. */
static void put_percent(struct buf *text, double share)
{
	if (isnan(share))
		buf_puts(text, "-");
	else
		buf_printf(text, "%.1f%%", share * 100);
}

/* "samples waited 3.000 s for group members, ...": a wait of 0 s is one that most
 * formats cannot tell. */
static void put_waits(struct buf *text, const struct breakdown_figures *f)
{
	const struct {
		double seconds;
		const char *what;
	} waits[] = {{f->waiting_group, "for group members"},
		     {f->waiting_client, "in the client queue"},
		     {f->waiting_reward, "for rewards"}};
	const char *before = "\nsamples waited ";

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		if (!(waits[i].seconds > 0))
			continue;
		buf_printf(text, "%s%.3f s %s", before, waits[i].seconds,
			   waits[i].what);
		before = ", ";
	}
}

static int put_rollout(struct out *out, const struct breakdown_figures *f,
		       struct err *err)
{
	struct buf text = buf_new(LINE_MAX_BYTES);

	buf_printf(&text,
		   "sample time %.3f s, own work %.3f s, peak concurrency "
		   "%" PRIu64 "\n",
		   f->time, f->own, f->peak);
	buf_puts(&text, "utilisation ");
	put_percent(&text, f->utilisation);
	buf_puts(&text, ", bubble ");
	put_percent(&text, f->bubble);
	buf_printf(&text,
		   "; fewer than 10%% of the samples were running for %.3f s",
		   f->tail);
	put_waits(&text, f);
	return table_put_line(&text, out, err);
}

/* "; #17 ended last, 12.000 s of that in x" */
static void put_last(struct buf *text, const struct last_figures *last)
{
	buf_puts(text, "; #");
	sample_put_name(text, last->sample, last->repeats, last->row);
	buf_puts(text, last->open ? " ended last, still open" : " ended last");
	if (last->name.p != NULL) {
		buf_printf(text, ", %.3f s %sin ", last->time,
			   last->within ? "of that " : "");
		table_escape_name(text, last->name);
	}
}

/* "wall 30.000 s, 41.0% of it (12.300 s) went to finishing the last 5% of
 * samples; #17 ended last, 12.000 s of that in x"; with fewer than 20 samples 5% is
 * less than one, and only the last is named. */
void breakdown_put_verdict(struct buf *text, const struct breakdown_figures *f)
{
	if (f->samples == 0) {
		buf_puts(text, "no sample has times");
		return;
	}
	buf_printf(text, "wall %.3f s", f->wall);
	if (!f->last.any || isnan(f->last.share))
		return;
	if (f->last.share > 0) {
		buf_puts(text, ", ");
		put_percent(text, f->last.share);
		buf_printf(text,
			   " of it (%.3f s) went to finishing the last 5%% of "
			   "samples",
			   f->last.seconds);
	}
	put_last(text, &f->last);
}

static int put_activities(struct out *out, const struct breakdown_figures *f,
			  struct err *err)
{
	static const struct table_column columns[] = {
		{"activity", TABLE_LEFT},
		{"time (s)", TABLE_RIGHT},
		{"share", TABLE_RIGHT},
	};
	struct table table = table_new(columns, ARRAY_SIZE(columns));

	out_putc(out, '\n');
	for (int a = 0; a < ACTIVITIES; a++) {
		if (f->activities[a] == 0)
			continue;
		table_add(&table, str_of(activity_word((enum activity)a)));
		add_seconds(&table, f->activities[a]);
		add_percent(&table, num_ratio(f->activities[a], f->time));
	}
	return table_put(&table, out, err);
}

static void add_spread(struct table *table, const struct time_figures *f)
{
	add_percent(table, f->share);
	if (isnan(f->concurrency))
		table_add(table, str_make("-", 1));
	else
		table_addf(table, "%.2f", f->concurrency);
	add_seconds(table, f->p50);
	add_seconds(table, f->p95);
	add_seconds(table, f->max);
}

static int put_spans(struct out *out, const struct breakdown_figures *f,
		     struct err *err)
{
	static const struct table_column columns[] = {
		{"span", TABLE_LEFT},	    {"count", TABLE_RIGHT},
		{"total (s)", TABLE_RIGHT}, {"self time (s)", TABLE_RIGHT},
		{"share", TABLE_RIGHT},	    {"concurrency", TABLE_RIGHT},
		{"p50 (s)", TABLE_RIGHT},   {"p95 (s)", TABLE_RIGHT},
		{"max (s)", TABLE_RIGHT},
	};
	struct table table = table_new(columns, ARRAY_SIZE(columns));
	int code;

	out_putc(out, '\n');
	for (size_t i = 0; i < f->span_count && i < SPANS_MAX; i++) {
		const struct time_figures *span = &f->spans[i];

		table_add_name(&table, span->name);
		table_addf(&table, "%" PRIu64, span->count);
		add_seconds(&table, span->total);
		add_seconds(&table, span->self);
		add_spread(&table, span);
	}
	code = table_put(&table, out, err);
	if (code == 0 && f->span_count > SPANS_MAX) {
		char line[64];

		snprintf(line, sizeof(line), "names not listed: %zu\n",
			 f->span_count - SPANS_MAX);
		out_puts(out, line);
	}
	return code;
}

static void add_phase(struct table *table, const char *phase,
		      const struct time_figures *f, bool segment)
{
	if (f->count == 0)
		return;
	table_addf(table, "%s%s%s", phase, segment ? " " : "",
		   segment ? f->name.p : "");
	table_addf(table, "%" PRIu64, f->count);
	add_seconds(table, f->total);
	add_spread(table, f);
}

static int put_phases(struct out *out, const struct breakdown_figures *f,
		      struct err *err)
{
	static const struct table_column columns[] = {
		{"phase", TABLE_LEFT},	      {"requests", TABLE_RIGHT},
		{"total (s)", TABLE_RIGHT},   {"share", TABLE_RIGHT},
		{"concurrency", TABLE_RIGHT}, {"p50 (s)", TABLE_RIGHT},
		{"p95 (s)", TABLE_RIGHT},     {"max (s)", TABLE_RIGHT},
	};
	struct table table = table_new(columns, ARRAY_SIZE(columns));

	out_putc(out, '\n');
	for (size_t r = 0; r < PD_ROLES; r++) {
		const char *phase = pd_roles[r].name;

		add_phase(&table, phase, &f->phases[r], false);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			add_phase(&table, phase, &f->segments[r][s], true);
	}
	return table_put(&table, out, err);
}

void sample_put_name(struct buf *text, struct str sample, bool repeats,
		     uint64_t row)
{
	table_escape_name(text, sample);
	if (repeats)
		buf_printf(text, " (row %" PRIu64 ")", row);
}

int breakdown_put_text(struct out *out, const struct breakdown_figures *f,
		       struct err *err)
{
	if (f->samples == 0)
		return 0;
	if (put_rollout(out, f, err) < 0)
		return err->code;
	if (put_activities(out, f, err) < 0 ||
	    (f->span_count > 0 && put_spans(out, f, err) < 0))
		return err->code;
	if (f->phases[0].count + f->phases[1].count == 0)
		return 0;
	return put_phases(out, f, err);
}
