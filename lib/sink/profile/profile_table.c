#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "profile/profile_file.h"
#include "sink/profile/profile_report.h"
#include "sink/profile/profile_words.h"
#include "sink/table.h"

enum { LINE_WIDTH = 118 };

/* Lines ------------------------------------------------------------------ */

/* Where to break a text that is too long for a line: after the last "; " that
 * fits, or at the last blank; 0: nowhere. */
static size_t break_of(const char *text)
{
	size_t blank = 0, semicolon = 0;

	for (size_t i = 1; i < LINE_WIDTH; i++) {
		if (text[i] != ' ')
			continue;
		blank = i;
		if (text[i - 1] == ';')
			semicolon = i;
	}
	return semicolon > 0 ? semicolon : blank;
}

/* Write the line, folded if it is long; continuations are indented. */
static int put_line(struct out *out, struct buf *line, struct err *err)
{
	struct buf folded = buf_new(LIMIT_STRING);
	const char *text = line->p;
	size_t rest = line->n;

	while (rest > LINE_WIDTH && break_of(text) > 2) {
		size_t n = break_of(text);

		buf_put(&folded, text, n);
		buf_puts(&folded, "\n ");
		text += n; /* its blank is the second of the indent */
		rest -= n;
	}
	if (rest > 0)
		buf_put(&folded, text, rest);
	folded.failed |= line->failed;
	buf_free(line);
	return table_put_line(&folded, out, err);
}

static void cell_time(struct table *table, double ns)
{
	struct buf text = buf_new(64);

	profile_put_time(&text, ns);
	table_add(table, buf_str(&text));
	buf_free(&text);
}

/* "a.json: rank 1 of 2, NVIDIA H200, decode, 100.8 ms, 19,341 events" */
static int put_title(struct out *out, const struct profile_summary *s,
		     struct err *err)
{
	const struct profile_trace *t = s->trace;
	struct profile_file file =
		profile_file_read(str_of(file_name(t->path)));
	int64_t rank = profile_rank(s);
	struct buf line = buf_new(LIMIT_STRING);

	table_escape(&line, str_of(t->path));
	buf_puts(&line, ": ");
	if (rank != PROFILE_NONE)
		buf_printf(&line, "rank %" PRId64, rank);
	if (rank != PROFILE_NONE && t->world_size > 0)
		buf_printf(&line, " of %" PRId64, t->world_size);
	if (rank != PROFILE_NONE)
		buf_puts(&line, ", ");
	if (t->gpu.n > 0) {
		table_escape(&line, t->gpu);
		buf_puts(&line, ", ");
	}
	if (file.stage.n > 0) {
		table_escape(&line, file.stage);
		buf_puts(&line, ", ");
	}
	profile_put_time(&line, t->latest < t->earliest
					? (double)NAN
					: (double)(t->latest - t->earliest));
	buf_printf(&line, ", %" PRIu64 " event%s", t->events,
		   str_plural(t->events));
	return put_line(out, &line, err);
}

static int put_verdicts(struct out *out,
			const struct profile_verdicts *verdicts,
			const struct profile_summary *s,
			const struct profile_group *group, struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < verdicts->n; i++) {
		struct buf line = buf_new(LIMIT_STRING);

		buf_puts(&line, "! ");
		profile_put_verdict(&line, &verdicts->v[i], s, group);
		code = put_line(out, &line, err);
	}
	return code;
}

/* "GPU 1: busy 62.6 ms (62%), compute 4.1 ms ..." */
static int put_device(struct out *out, const struct profile_summary *s,
		      const struct device_summary *d, struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);
	double span = (double)device_span(d);

	buf_puts(&line, "GPU ");
	table_escape(&line, intern_text(&s->trace->devices, d->device));
	buf_puts(&line, ": busy ");
	profile_put_time(&line, (double)d->busy);
	if (span > 0)
		buf_printf(&line, " (%.0f%%)", 100 * (double)d->busy / span);
	buf_puts(&line, ": compute ");
	profile_put_time(&line, (double)d->compute);
	buf_puts(&line, ", exposed communication ");
	profile_put_time(&line, (double)d->exposed_communication);
	buf_puts(&line, ", exposed copies ");
	profile_put_time(&line, (double)d->exposed_copy);
	buf_puts(&line, "; idle ");
	profile_put_time(&line, (double)device_idle(d));
	for (int c = 0, any = 0; c < GAP_CAUSES; c++) {
		if (d->causes[c].count == 0)
			continue;
		buf_printf(&line, "%s%s ", any++ ? ", " : ": ",
			   gap_cause_names[c]);
		profile_put_time(&line, (double)d->causes[c].time);
	}
	return put_line(out, &line, err);
}

/* Tables ----------------------------------------------------------------- */

static int put_steps(struct out *out, const struct profile_summary *s,
		     struct err *err)
{
	static const struct table_column columns[] = {
		{"step", TABLE_LEFT},	  {"count", TABLE_RIGHT},
		{"batch", TABLE_RIGHT},	  {"tokens/s", TABLE_RIGHT},
		{"period", TABLE_RIGHT},  {"host", TABLE_RIGHT},
		{"gpu", TABLE_RIGHT},	  {"bubble", TABLE_RIGHT},
		{"kernels", TABLE_RIGHT}, {"launches", TABLE_RIGHT},
	};
	struct table table = table_new(columns, 10);
	bool any = false;

	for (int i = 0; i < STEP_KINDS; i++) {
		const struct engine_step_sums *k = &s->kinds[i];
		double n = (double)k->count;

		if (k->count == 0)
			continue;
		any = true;
		table_add(&table, str_of(step_kind_names[i]));
		table_addf(&table, "%" PRIu64, k->count);
		if (k->batch == STEP_UNKNOWN)
			table_add(&table, str_of("-"));
		else
			table_addf(&table, "%.3g", (double)k->batch / n);
		if (k->period_tokens == STEP_UNKNOWN || k->period_total == 0)
			table_add(&table, str_of("-"));
		else
			table_addf(&table, "%.4g",
				   (double)k->period_tokens * 1e9 /
					   (double)k->period_total);
		cell_time(&table, k->period.n > 0 ? stats_median(&k->period)
						  : (double)NAN);
		cell_time(&table, stats_median(&k->host));
		cell_time(&table, stats_median(&k->gpu));
		cell_time(&table, k->bubble.n > 0 ? stats_median(&k->bubble)
						  : (double)NAN);
		table_addf(&table, "%.4g", (double)k->kernels / n);
		table_addf(&table, "%.4g", (double)k->launches / n);
	}
	if (any)
		return table_put(&table, out, err);
	table_free(&table);
	return 0;
}

static int put_kernels(struct out *out, const struct profile_summary *s,
		       const struct device_summary *d, size_t top,
		       struct err *err)
{
	static const struct table_column columns[] = {
		{"kernel", TABLE_LEFT}, {"category", TABLE_LEFT},
		{"count", TABLE_RIGHT}, {"time", TABLE_RIGHT},
		{"%", TABLE_RIGHT},	{"mean", TABLE_RIGHT},
		{"max", TABLE_RIGHT},
	};
	struct table table = table_new(columns, 7);

	for (size_t i = 0; i < d->top.n && i < top; i++) {
		const struct named_tally *t = &d->top.v[i];

		table_add_name(&table, intern_text(&s->names.shorts,
						   s->names.short_of[t->name]));
		table_add(&table, str_of(kernel_category_names
						 [s->names.category[t->name]]));
		table_addf(&table, "%" PRIu64, t->of.count);
		cell_time(&table, (double)t->of.time);
		table_addf(&table, "%.1f",
			   d->kernel_time > 0 ? 100 * (double)t->of.time /
							(double)d->kernel_time
					      : 0.0);
		cell_time(&table, (double)t->of.time / (double)t->of.count);
		cell_time(&table, (double)t->of.max);
	}
	if (d->top.n > 0 && top > 0)
		return table_put(&table, out, err);
	table_free(&table);
	return 0;
}

/* "gap of 20.6 ms at 45.0 ms: host, before indexSelect, in step[...]" */
static int put_gap(struct out *out, const struct profile_summary *s,
		   const struct gap *gap, struct err *err)
{
	const struct profile_trace *t = s->trace;
	struct buf line = buf_new(LIMIT_STRING);

	buf_puts(&line, "gap of ");
	profile_put_time(&line, (double)gap->time);
	buf_puts(&line, " at ");
	profile_put_time(&line, (double)(gap->start - t->earliest));
	buf_printf(&line, ": %s, before ", gap_cause_names[gap->cause]);
	table_escape_name(&line, gpu_work_name(s, gap->after));
	if (gap->step != GAP_NO_STEP) {
		buf_puts(&line, ", in ");
		table_escape_name(&line, intern_text(&t->names, gap->step));
	}
	return put_line(out, &line, err);
}

static int put_trace(struct out *out, const struct profile_report *report,
		     const struct profile_summary *s, struct err *err)
{
	struct profile_verdicts verdicts = {0};
	int code =
		profile_verdicts_of_trace(&verdicts, s, &report->groups, err);

	if (code == 0)
		code = put_title(out, s, err);
	if (code == 0)
		code = put_verdicts(out, &verdicts, s, NULL, err);
	profile_verdicts_free(&verdicts);
	for (size_t i = 0; code == 0 && i < s->device_n; i++)
		code = put_device(out, s, &s->devices[i], err);
	if (code == 0)
		code = put_steps(out, s, err);
	for (size_t i = 0; code == 0 && i < s->device_n; i++) {
		const struct device_summary *d = &s->devices[i];

		code = put_kernels(out, s, d, report->top, err);
		for (size_t g = 0;
		     code == 0 && g < d->gap_n && g < report->gaps; g++)
			code = put_gap(out, s, &d->gaps[g], err);
	}
	return code;
}

/* Groups ----------------------------------------------------------------- */

static int put_members(struct out *out, const struct profile_group *group,
		       struct err *err)
{
	static const struct table_column columns[] = {
		{"rank", TABLE_LEFT},	 {"busy", TABLE_RIGHT},
		{"idle", TABLE_RIGHT},	 {"compute", TABLE_RIGHT},
		{"waited", TABLE_RIGHT}, {"caused", TABLE_RIGHT},
		{"last", TABLE_RIGHT},
	};
	struct table table = table_new(columns, 7);

	for (size_t i = 0; i < group->n; i++) {
		const struct group_member *m = &group->members[i];

		if (m->rank == PROFILE_NONE)
			table_add(&table, str_of("-"));
		else
			table_addf(&table, "%" PRId64, m->rank);
		cell_time(&table, (double)m->device->busy);
		cell_time(&table, (double)device_idle(m->device));
		cell_time(&table, (double)m->device->compute);
		cell_time(&table, (double)m->waited);
		cell_time(&table, (double)m->caused);
		table_addf(&table, "%" PRIu64, m->last);
	}
	return table_put(&table, out, err);
}

static int put_group(struct out *out, const struct profile_group *group,
		     struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);
	struct profile_verdicts verdicts = {0};
	int code = profile_verdicts_of_group(&verdicts, group, err);

	buf_puts(&line, "ranks of ");
	table_escape_name(&line, group->name);
	buf_printf(&line, ": %zu collective%s matched", group->match_n,
		   str_plural(group->match_n));
	if (group->unmatched_n > 0)
		buf_printf(&line,
			   ", %zu kind%s not (each rank needs the same number)",
			   group->unmatched_n, str_plural(group->unmatched_n));
	if (group->skews.n > 0) {
		buf_puts(&line, ", arrival spread ");
		profile_put_time(&line, stats_median(&group->skews));
		buf_puts(&line, " (median), ");
		profile_put_time(&line, group->skews.v[group->skews.n - 1]);
		buf_puts(&line, " (max)");
	}
	if (code == 0)
		code = put_line(out, &line, err);
	else
		buf_free(&line);
	if (code == 0)
		code = put_verdicts(out, &verdicts, NULL, group, err);
	profile_verdicts_free(&verdicts);
	return code == 0 ? put_members(out, group, err) : code;
}

int profile_put_table(struct out *out, const struct profile_report *report,
		      struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < report->groups.n; i++) {
		code = put_group(out, &report->groups.v[i], err);
		out_putc(out, '\n');
	}
	for (size_t i = 0; code == 0 && i < report->n; i++) {
		if (i > 0)
			out_putc(out, '\n');
		code = put_trace(out, report, report->traces[i], err);
	}
	return code;
}
