/* One figure per line: trace or group, device, figure, value. Times are in
 * seconds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/num.h"
#include "sink/profile/profile_report.h"
#include "sink/tsv.h"

enum { NS = 1000000000, FIGURE_MAX = 128 };

/* Where rows are written, and their first columns. */
struct tsv_rows {
	struct out *out;
	struct str subject, device;
};

static void put_start(const struct tsv_rows *r)
{
	tsv_put_text(r->out, r->subject);
	out_putc(r->out, '\t');
	tsv_put_text(r->out, r->device);
	out_putc(r->out, '\t');
}

/* An unknown one has no row. */
static void put(const struct tsv_rows *r, const char *prefix, const char *key,
		double value)
{
	char text[NUM_DOUBLE_MAX];

	if (isnan(value))
		return;
	put_start(r);
	out_puts(r->out, prefix);
	tsv_put_text(r->out, str_of(key));
	out_putc(r->out, '\t');
	out_put(r->out, text, num_put_short(text, value));
	out_putc(r->out, '\n');
}

static void put_time(const struct tsv_rows *r, const char *prefix,
		     const char *key, int64_t ns)
{
	put(r, prefix, key, (double)ns / NS);
}

static void put_kernels(const struct tsv_rows *r,
			const struct profile_summary *s,
			const struct device_summary *d, size_t top)
{
	for (size_t i = 0; i < d->top.n && i < top; i++) {
		const struct named_tally *t = &d->top.v[i];
		char text[NUM_DOUBLE_MAX];

		put_start(r);
		out_puts(r->out, "kernel/");
		tsv_put_text(r->out, intern_text(&s->trace->names, t->name));
		out_putc(r->out, '\t');
		out_put(r->out, text,
			num_put_short(text, (double)t->of.time / NS));
		out_putc(r->out, '\n');
	}
}

static void put_device(struct tsv_rows r, const struct profile_summary *s,
		       const struct device_summary *d, size_t top)
{
	int64_t span = device_span(d);

	r.device = intern_text(&s->trace->devices, d->device);
	put_time(&r, "", "span", span);
	put_time(&r, "", "busy", d->busy);
	put_time(&r, "", "idle", device_idle(d));
	put(&r, "", "utilisation", num_ratio((double)d->busy, (double)span));
	put_time(&r, "", "compute", d->compute);
	put_time(&r, "", "communication", d->communication);
	put_time(&r, "", "exposed_communication", d->exposed_communication);
	put_time(&r, "", "copy", d->copy);
	put_time(&r, "", "exposed_copy", d->exposed_copy);
	put(&r, "", "kernels", (double)d->kernels);
	put_time(&r, "", "kernel_time", d->kernel_time);
	put(&r, "", "gaps", (double)d->gap_count);
	for (int c = 0; c < GAP_CAUSES; c++)
		put_time(&r, "idle/", gap_cause_names[c], d->causes[c].time);
	for (int c = 0; c < KERNEL_CATEGORIES; c++)
		if (d->categories[c].count > 0)
			put_time(&r, "category/", kernel_category_names[c],
				 d->categories[c].time);
	put_kernels(&r, s, d, top);
}

static double median_of(const struct stats *stats)
{
	return stats->n > 0 ? stats_median(stats) / NS : (double)NAN;
}

static void put_steps(const struct tsv_rows *r,
		      const struct engine_step_sums *k, const char *kind)
{
	char prefix[FIGURE_MAX];
	bool rated = k->period_tokens != STEP_UNKNOWN && k->period_total > 0;

	snprintf(prefix, sizeof(prefix), "step/%s/", kind);
	put(r, prefix, "count", (double)k->count);
	put(r, prefix, "batch",
	    k->batch == STEP_UNKNOWN ? (double)NAN : (double)k->batch);
	put(r, prefix, "tokens",
	    k->tokens == STEP_UNKNOWN ? (double)NAN : (double)k->tokens);
	put(r, prefix, "rate",
	    rated ? (double)k->period_tokens * NS / (double)k->period_total
		  : (double)NAN);
	put(r, prefix, "host", median_of(&k->host));
	put(r, prefix, "gpu", median_of(&k->gpu));
	put(r, prefix, "period", median_of(&k->period));
	put(r, prefix, "bubble", median_of(&k->bubble));
	put(r, prefix, "kernels", (double)k->kernels);
	put(r, prefix, "launches", (double)k->launches);
	put(r, prefix, "graph_launches", (double)k->graph_launches);
}

static void put_trace(struct out *out, const struct profile_summary *s,
		      size_t top)
{
	const struct profile_trace *t = s->trace;
	struct tsv_rows r = {out, str_of(file_name(t->path)), {"", 0}};

	put(&r, "", "events", (double)t->events);
	put(&r, "", "skipped", (double)t->skipped);
	put(&r, "", "repaired", (double)t->repaired);
	put(&r, "", "damaged", (double)t->damaged);
	put(&r, "", "truncated", t->truncated ? 1 : 0);
	if (t->latest >= t->earliest)
		put_time(&r, "", "window", t->latest - t->earliest);
	for (size_t i = 0; i < s->device_n; i++)
		put_device(r, s, &s->devices[i], top);
	for (int k = 0; k < STEP_KINDS; k++)
		if (s->kinds[k].count > 0)
			put_steps(&r, &s->kinds[k], step_kind_names[k]);
	put(&r, "graphs/", "launches", (double)s->host.graph_launches);
	put(&r, "graphs/", "empty", (double)s->host.graph_empty);
}

/* A member is identified by its file and device. */
static int put_member(struct tsv_rows r, const struct group_member *m,
		      struct err *err)
{
	const struct profile_trace *t = m->trace->trace;
	struct str device = intern_text(&t->devices, m->device->device);
	struct buf name = buf_new(LIMIT_STRING);

	buf_printf(&name, "%s:", file_name(t->path));
	buf_put(&name, device.p, device.n);
	if (name.failed) {
		int code = buf_error(&name, err);

		buf_free(&name);
		return code;
	}
	r.device = buf_str(&name);
	put(&r, "", "rank",
	    m->rank == PROFILE_NONE ? (double)NAN : (double)m->rank);
	put_time(&r, "", "waited", m->waited);
	put_time(&r, "", "start_wait", m->start_wait);
	put_time(&r, "", "caused", m->caused);
	put(&r, "", "last", (double)m->last);
	put_time(&r, "", "offset", m->offset);
	buf_free(&name);
	return 0;
}

static int put_group(struct out *out, const struct profile_group *group,
		     struct err *err)
{
	struct tsv_rows r = {out, group->name, {"", 0}};
	int code = 0;

	put(&r, "", "matched", (double)group->match_n);
	put(&r, "", "unmatched", (double)group->unmatched_n);
	put_time(&r, "", "transfer", group->transfer);
	put(&r, "", "skew", median_of(&group->skews));
	for (size_t i = 0; code == 0 && i < group->n; i++)
		code = put_member(r, &group->members[i], err);
	return code;
}

int profile_put_tsv(struct out *out, const struct profile_report *report,
		    struct err *err)
{
	int code = 0;

	out_puts(out, "trace\tdevice\tfigure\tvalue\n");
	for (size_t i = 0; i < report->n; i++)
		put_trace(out, report->traces[i], report->top);
	for (size_t i = 0; code == 0 && i < report->groups.n; i++)
		code = put_group(out, &report->groups.v[i], err);
	return code;
}
