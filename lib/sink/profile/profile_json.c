#include <math.h>
#include <stdlib.h>

#include "profile/profile_file.h"
#include "sink/profile/json_figures.h"
#include "sink/profile/profile_report.h"

/* Steps and the host ---------------------------------------------------- */

static void put_stats(struct json_writer *j, const char *key, int64_t total,
		      const struct stats *stats)
{
	json_add_begin(j, key, '{');
	figure_time(j, "total", total);
	figure_ns(j, "p50", stats->n > 0 ? stats_median(stats) : NAN);
	figure_ns(j, "max", stats->n > 0 ? stats->v[stats->n - 1] : NAN);
	json_end(j, '}');
}

/* Per step, for comparisons. */
static void put_values(struct json_writer *j, const char *key,
		       const struct stats *stats)
{
	json_add_begin(j, key, '[');
	for (size_t i = 0; i < stats->n; i++)
		json_double(j, stats->v[i] / NS);
	json_end(j, ']');
}

static void put_step(struct json_writer *j, const struct engine_step_sums *k,
		     const char *name)
{
	int64_t kernels = 0;
	bool rated = k->period_tokens != STEP_UNKNOWN && k->period_total > 0;

	for (int c = 0; c < KERNEL_CATEGORIES; c++)
		kernels += k->categories[c].time;
	json_begin(j, '{');
	json_add_str(j, "kind", str_of(name));
	json_add_uint(j, "count", k->count);
	figure_int(j, "batch", k->batch);
	figure_int(j, "tokens", k->tokens);
	put_stats(j, "host", k->host_total, &k->host);
	put_stats(j, "gpu", k->gpu_total, &k->gpu);
	put_stats(j, "period", k->period_total, &k->period);
	put_stats(j, "bubble", k->bubble_total, &k->bubble);
	json_add_double(j, "rate",
			rated ? (double)k->period_tokens * NS /
					(double)k->period_total
			      : NAN);
	json_add_uint(j, "kernels", k->kernels);
	json_add_uint(j, "launches", k->launches);
	json_add_uint(j, "graph_launches", k->graph_launches);
	figure_categories(j, k->categories, kernels);
	json_add_begin(j, "values", '{');
	put_values(j, "host", &k->host);
	put_values(j, "gpu", &k->gpu);
	put_values(j, "period", &k->period);
	json_end(j, '}');
	json_end(j, '}');
}

static void put_named(struct json_writer *j, const char *key,
		      const struct intern *names,
		      const struct named_tallies *list, size_t top, bool self)
{
	json_add_begin(j, key, '[');
	for (size_t i = 0; i < size_least(list->n, top); i++) {
		json_begin(j, '{');
		json_add_str(j, "name", intern_text(names, list->v[i].name));
		figure_tally(j, &list->v[i].of);
		if (self)
			figure_time(j, "self", list->v[i].self);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_delay(struct json_writer *j, const struct host_summary *h)
{
	json_add_begin(j, "delay", '{');
	json_add_uint(j, "count", h->delay.count);
	figure_ns(j, "p50", h->delay.p50);
	figure_ns(j, "p95", h->delay.p95);
	figure_ns(j, "max", h->delay.max);
	json_end(j, '}');
}

static void put_host(struct json_writer *j, const struct profile_summary *s,
		     size_t top)
{
	const struct host_summary *h = &s->host;

	json_add_begin(j, "graphs", '{');
	json_add_uint(j, "launches", h->graph_launches);
	figure_time(j, "time", h->graph_time);
	json_add_uint(j, "events", h->graph_events);
	json_add_uint(j, "empty", h->graph_empty);
	json_end(j, '}');
	json_add_begin(j, "host", '{');
	json_add_begin(j, "classes", '{');
	for (int c = 0; c < CALL_CLASSES; c++)
		figure_tally_max(j, call_class_names[c], &h->classes[c]);
	json_end(j, '}');
	put_named(j, "calls", &s->trace->names, &h->calls, top, false);
	put_delay(j, h);
	put_named(j, "ops", &s->trace->names, &h->ops, top, true);
	put_named(j, "python", &s->trace->names, &h->python, top, true);
	json_add_begin(j, "overhead", '{');
	json_add_uint(j, "count", s->trace->overhead_count);
	figure_time(j, "time", s->trace->overhead_time);
	json_end(j, '}');
	json_end(j, '}');
}

/* Verdicts -------------------------------------------------------------- */

static void put_figure(struct json_writer *j, const char *key, double v)
{
	if (isnan(v))
		return;
	json_add_double(j, key, v);
}

static void put_verdict(struct json_writer *j, const struct trace_verdict *v,
			const struct profile_summary *s,
			const struct profile_group *group)
{
	json_begin(j, '{');
	json_add_str(j, "kind", str_of(profile_verdict_names[v->kind]));
	if (group != NULL) {
		json_add_str(j, "group", group->name);
		json_add_uint(j, "member", v->member);
	} else if (v->device != NULL) {
		json_add_str(j, "device",
			     intern_text(&s->trace->devices,
					 v->device->device));
	}
	put_figure(j, "share", v->share);
	put_figure(j, "batch", v->batch);
	put_figure(j, "ratio", v->ratio);
	put_figure(j, "waited", v->waited);
	json_end(j, '}');
}

static int put_trace_verdicts(struct json_writer *j,
			      const struct profile_summary *s,
			      const struct profile_groups *groups,
			      struct err *err)
{
	struct profile_verdicts verdicts = {0};
	int code = profile_verdicts_of_trace(&verdicts, s, groups, err);

	json_add_begin(j, "verdicts", '[');
	for (size_t i = 0; i < verdicts.n; i++)
		put_verdict(j, &verdicts.v[i], s, NULL);
	json_end(j, ']');
	profile_verdicts_free(&verdicts);
	return code;
}

static int put_group_verdicts(struct json_writer *j,
			      const struct profile_group *group,
			      struct err *err)
{
	struct profile_verdicts verdicts = {0};
	int code = profile_verdicts_of_group(&verdicts, group, err);

	for (size_t i = 0; i < verdicts.n; i++)
		put_verdict(j, &verdicts.v[i], NULL, group);
	profile_verdicts_free(&verdicts);
	return code;
}

/* Traces and groups ----------------------------------------------------- */

/* Stages occur in upper and lower case. */
static void put_lower(struct json_writer *j, struct str stage)
{
	char text[64];
	size_t n = size_least(stage.n, sizeof(text));

	for (size_t i = 0; i < n; i++)
		text[i] = stage.p[i] >= 'A' && stage.p[i] <= 'Z'
				  ? (char)(stage.p[i] + ('a' - 'A'))
				  : stage.p[i];
	json_str(j, str_make(text, n));
}

static void put_about(struct json_writer *j, const struct profile_summary *s)
{
	const struct profile_trace *t = s->trace;
	bool any = t->latest >= t->earliest;
	struct profile_file file =
		profile_file_read(str_of(file_name(t->path)));

	json_add_str(j, "file", str_of(file_name(t->path)));
	figure_int(j, "rank", profile_rank(s));
	figure_int(j, "world_size", t->world_size);
	json_key(j, "stage");
	if (file.stage.n == 0)
		json_null(j);
	else
		put_lower(j, file.stage);
	json_key(j, "gpu");
	if (t->gpu.n == 0)
		json_null(j);
	else
		json_str(j, t->gpu);
	json_add_uint(j, "events", t->events);
	json_add_uint(j, "skipped", t->skipped);
	json_add_uint(j, "repaired", t->repaired);
	json_add_uint(j, "damaged", t->damaged);
	json_add_bool(j, "truncated", t->truncated);
	figure_ns(j, "start", any ? (double)(t->base + t->earliest) : NAN);
	figure_ns(j, "window", any ? (double)(t->latest - t->earliest) : NAN);
	json_add_begin(j, "other_categories", '{');
	for (uint32_t i = 0; i < t->other_categories.count; i++) {
		json_key_str(j, intern_text(&t->other_categories, i));
		json_uint(j, t->other_counts[i]);
	}
	json_end(j, '}');
}

static int put_trace(struct json_writer *j, const struct profile_summary *s,
		     const struct profile_report *report, struct err *err)
{
	int code;

	json_begin(j, '{');
	put_about(j, s);
	json_add_begin(j, "devices", '[');
	for (size_t i = 0; i < s->device_n; i++)
		profile_put_device(j, s, &s->devices[i], report);
	json_end(j, ']');
	json_add_begin(j, "steps", '[');
	for (int k = 0; k < STEP_KINDS; k++)
		if (s->kinds[k].count > 0)
			put_step(j, &s->kinds[k], step_kind_names[k]);
	json_end(j, ']');
	put_host(j, s, report->top);
	code = put_trace_verdicts(j, s, &report->groups, err);
	json_end(j, '}');
	return code;
}

static void put_member(struct json_writer *j, const struct group_member *m)
{
	const struct device_summary *d = m->device;
	const struct profile_trace *t = m->trace->trace;

	json_begin(j, '{');
	json_add_str(j, "file", str_of(file_name(t->path)));
	json_add_str(j, "device", intern_text(&t->devices, d->device));
	figure_int(j, "rank", m->rank);
	figure_device(j, d);
	figure_time(j, "waited", m->waited);
	figure_time(j, "start_wait", m->start_wait);
	figure_time(j, "caused", m->caused);
	json_add_uint(j, "last", m->last);
	figure_time(j, "offset", m->offset);
	json_end(j, '}');
}

static void put_longest(struct json_writer *j,
			const struct profile_group *group, size_t n)
{
	const struct group_match **longest;

	n = size_least(n, group_counted(group));
	longest = malloc((n + 1) * sizeof(*longest));
	n = longest == NULL ? 0 : n;
	group_longest(group, longest, n);
	json_add_begin(j, "longest", '[');
	for (size_t i = 0; i < n; i++) {
		const struct group_match *m = longest[i];

		json_begin(j, '{');
		figure_time(j, "at", m->late - group->origin);
		figure_time(j, "skew", m->late - m->early);
		json_add_uint(j, "last", m->last);
		json_add_str(j, "name", m->name);
		json_end(j, '}');
	}
	json_end(j, ']');
	free(longest);
}

static void put_group(struct json_writer *j, const struct profile_group *group,
		      size_t gaps)
{
	const struct stats *skews = &group->skews;
	bool any = skews->n > 0;

	json_begin(j, '{');
	json_add_str(j, "name", group->name);
	json_add_begin(j, "members", '[');
	for (size_t i = 0; i < group->n; i++)
		put_member(j, &group->members[i]);
	json_end(j, ']');
	json_add_uint(j, "matched", group->match_n);
	json_add_begin(j, "unmatched", '[');
	for (size_t i = 0; i < group->unmatched_n; i++)
		json_str(j, group->unmatched[i]);
	json_end(j, ']');
	figure_time(j, "transfer", group->transfer);
	json_add_begin(j, "skew", '{');
	figure_ns(j, "p50", any ? stats_median(skews) : NAN);
	figure_ns(j, "p95", any ? stats_percentile(skews, 95) : NAN);
	figure_ns(j, "max", any ? skews->v[skews->n - 1] : NAN);
	json_end(j, '}');
	put_longest(j, group, gaps);
	json_end(j, '}');
}

int profile_put_json(struct out *out, const struct profile_report *report,
		     struct err *err)
{
	struct json_writer j = json_writer_on(out);
	int code = 0;

	json_begin(&j, '{');
	json_add_begin(&j, "traces", '[');
	for (size_t i = 0; code == 0 && i < report->n; i++)
		code = put_trace(&j, report->traces[i], report, err);
	json_end(&j, ']');
	json_add_begin(&j, "groups", '[');
	for (size_t i = 0; i < report->groups.n; i++)
		put_group(&j, &report->groups.v[i], report->gaps);
	json_end(&j, ']');
	json_add_begin(&j, "verdicts", '[');
	for (size_t i = 0; code == 0 && i < report->groups.n; i++)
		code = put_group_verdicts(&j, &report->groups.v[i], err);
	json_end(&j, ']');
	json_end(&j, '}');
	json_end_line(&j);
	return code;
}

int profile_put_jsonl(struct out *out, const struct profile_report *report,
		      struct err *err)
{
	struct json_writer j = json_writer_on(out);
	int code = 0;

	for (size_t i = 0; code == 0 && i < report->n; i++) {
		code = put_trace(&j, report->traces[i], report, err);
		json_end_line(&j);
	}
	for (size_t i = 0; code == 0 && i < report->groups.n; i++) {
		put_group(&j, &report->groups.v[i], report->gaps);
		json_end_line(&j);
	}
	return code;
}
