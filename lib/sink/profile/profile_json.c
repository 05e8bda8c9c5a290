#include <math.h>
#include <stdlib.h>

#include "fmt/json/json_write.h"
#include "profile/profile_file.h"
#include "sink/profile/profile_report.h"

enum { NS = 1000000000 };

static void put_ns(struct json_writer *j, const char *key, double ns)
{
	json_key(j, key);
	json_double(j, ns / NS);
}

static void put_time(struct json_writer *j, const char *key, int64_t ns)
{
	put_ns(j, key, (double)ns);
}

static void put_count(struct json_writer *j, const char *key, uint64_t n)
{
	json_key(j, key);
	json_uint(j, n);
}

static void put_text(struct json_writer *j, const char *key, struct str text)
{
	json_key(j, key);
	json_str(j, text);
}

/* null where the part is of nothing. */
static void put_ratio(struct json_writer *j, const char *key, double part,
		      double whole)
{
	json_key(j, key);
	json_double(j, whole == 0 ? NAN : part / whole);
}

static void put_int_or_null(struct json_writer *j, const char *key, int64_t i)
{
	json_key(j, key);
	if (i < 0)
		json_null(j);
	else
		json_int(j, i);
}

static void put_tally(struct json_writer *j, const struct tally *t)
{
	put_count(j, "count", t->count);
	put_time(j, "time", t->time);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Devices --------------------------------------------------------------- */

static void put_streams(struct json_writer *j, const struct profile_trace *t,
			const struct named_tallies *streams, size_t top)
{
	json_key(j, "streams");
	json_begin(j, '[');
	for (size_t i = 0; i < least(streams->n, top); i++) {
		json_begin(j, '{');
		put_text(j, "stream",
			 intern_text(&t->streams, streams->v[i].name));
		put_tally(j, &streams->v[i].of);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* Categories that have kernels, most time first, then by name. */
static size_t order_categories(const struct tally *categories, int *order)
{
	size_t n = 0;

	for (int c = 0; c < KERNEL_CATEGORIES; c++) {
		size_t at = n;

		if (categories[c].count == 0)
			continue;
		while (at > 0) {
			const struct tally *other = &categories[order[at - 1]];
			int names = str_cmp(
				str_of(kernel_category_names[c]),
				str_of(kernel_category_names[order[at - 1]]));

			if (other->time > categories[c].time ||
			    (other->time == categories[c].time && names > 0))
				break;
			order[at] = order[at - 1];
			at--;
		}
		order[at] = c;
		n++;
	}
	return n;
}

static void put_categories(struct json_writer *j,
			   const struct tally *categories, int64_t whole)
{
	int order[KERNEL_CATEGORIES];
	size_t n = order_categories(categories, order);

	json_key(j, "categories");
	json_begin(j, '[');
	for (size_t i = 0; i < n; i++) {
		const struct tally *t = &categories[order[i]];

		json_begin(j, '{');
		put_text(j, "name", str_of(kernel_category_names[order[i]]));
		put_tally(j, t);
		put_ratio(j, "share", (double)t->time, (double)whole);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_top(struct json_writer *j, const struct profile_summary *s,
		    const struct device_summary *d, size_t top)
{
	json_key(j, "top");
	json_begin(j, '[');
	for (size_t i = 0; i < least(d->top.n, top); i++) {
		const struct named_tally *t = &d->top.v[i];
		uint32_t name = t->name;

		json_begin(j, '{');
		put_text(j, "name",
			 intern_text(&s->names.shorts,
				     s->names.short_of[name]));
		put_text(j, "full", intern_text(&s->trace->names, name));
		put_text(
			j, "category",
			str_of(kernel_category_names[s->names.category[name]]));
		put_tally(j, &t->of);
		put_ratio(j, "share", (double)t->of.time,
			  (double)d->kernel_time);
		put_ns(j, "mean", (double)t->of.time / (double)t->of.count);
		put_time(j, "max", t->of.max);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_collectives(struct json_writer *j,
			    const struct profile_summary *s,
			    const struct device_summary *d, size_t top)
{
	int64_t all = d->categories[KERNEL_COMMUNICATION].time;

	json_key(j, "collectives");
	json_begin(j, '[');
	for (size_t i = 0; i < least(d->collectives.n, top); i++) {
		const struct named_tally *t = &d->collectives.v[i];

		json_begin(j, '{');
		put_text(j, "name", intern_text(&s->names.shorts, t->name));
		put_tally(j, &t->of);
		put_ratio(j, "share", (double)t->of.time, (double)all);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_copies(struct json_writer *j, const struct device_summary *d)
{
	bool done[COPY_KINDS] = {false};

	json_key(j, "copies");
	json_begin(j, '[');
	for (int left = COPY_KINDS; left > 0; left--) {
		int next = -1;
		const struct copies *c;

		for (int k = 0; k < COPY_KINDS; k++) {
			if (done[k] || d->copies[k].count == 0)
				continue;
			if (next < 0 ||
			    d->copies[k].time > d->copies[next].time ||
			    (d->copies[k].time == d->copies[next].time &&
			     str_cmp(str_of(copy_kind_names[k]),
				     str_of(copy_kind_names[next])) < 0))
				next = k;
		}
		if (next < 0)
			break;
		done[next] = true;
		c = &d->copies[next];
		json_begin(j, '{');
		put_text(j, "kind", str_of(copy_kind_names[next]));
		put_count(j, "count", c->count);
		json_key(j, "bytes");
		json_int(j, c->bytes);
		put_time(j, "time", c->time);
		put_count(j, "pageable", c->pageable);
		put_time(j, "exposed", c->exposed);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_tally_max(struct json_writer *j, const char *key,
			  const struct tally *t)
{
	json_key(j, key);
	json_begin(j, '{');
	put_tally(j, t);
	put_time(j, "max", t->max);
	json_end(j, '}');
}

static void put_gap(struct json_writer *j, const struct profile_summary *s,
		    const struct gap *gap)
{
	const struct profile_trace *t = s->trace;
	const struct gpu_event *after = &t->gpu_events[gap->after];
	const struct host_event *call =
		after->call == PROFILE_NONE ? NULL : &t->calls.v[after->call];
	int32_t step = call == NULL
			       ? PROFILE_NONE
			       : step_at(&s->steps, call->thread, call->start);

	json_begin(j, '{');
	put_time(j, "start", gap->start - t->earliest);
	put_time(j, "time", gap->time);
	put_text(j, "cause", str_of(gap_cause_names[gap->cause]));
	put_text(j, "before", gpu_event_name(s, &t->gpu_events[gap->before]));
	put_text(j, "after", gpu_event_name(s, after));
	json_key(j, "call");
	if (call == NULL)
		json_null(j);
	else
		json_str(j, intern_text(&t->names, call->name));
	json_key(j, "step");
	if (step == PROFILE_NONE)
		json_null(j);
	else
		json_str(j, intern_text(&t->names, s->steps.v[step].name));
	json_end(j, '}');
}

static void put_gaps(struct json_writer *j, const struct profile_summary *s,
		     const struct device_summary *d, size_t longest)
{
	json_key(j, "gaps");
	json_begin(j, '{');
	put_count(j, "count", d->gap_n);
	put_time(j, "time", device_idle(d));
	json_key(j, "causes");
	json_begin(j, '{');
	for (int c = 0; c < GAP_CAUSES; c++)
		put_tally_max(j, gap_cause_names[c], &d->causes[c]);
	json_end(j, '}');
	json_key(j, "after_sync");
	json_begin(j, '{');
	put_tally(j, &d->after_sync);
	json_end(j, '}');
	json_key(j, "longest");
	json_begin(j, '[');
	for (size_t i = 0; i < least(d->gap_n, longest); i++)
		put_gap(j, s, &d->gaps[i]);
	json_end(j, ']');
	json_end(j, '}');
}

static void put_device(struct json_writer *j, const struct profile_summary *s,
		       const struct device_summary *d,
		       const struct profile_report *report)
{
	json_begin(j, '{');
	put_text(j, "device", intern_text(&s->trace->devices, d->device));
	put_time(j, "start", d->start - s->trace->earliest);
	put_time(j, "span", device_span(d));
	put_time(j, "busy", d->busy);
	put_time(j, "idle", device_idle(d));
	put_ratio(j, "utilisation", (double)d->busy, (double)device_span(d));
	put_time(j, "compute", d->compute);
	put_time(j, "communication", d->communication);
	put_time(j, "exposed_communication", d->exposed_communication);
	put_time(j, "copy", d->copy);
	put_time(j, "exposed_copy", d->exposed_copy);
	put_count(j, "kernels", d->kernels);
	put_time(j, "kernel_time", d->kernel_time);
	put_time(j, "overlap", d->overlap);
	put_count(j, "early", d->early);
	put_streams(j, s->trace, &d->streams, report->top);
	put_categories(j, d->categories, d->kernel_time);
	put_top(j, s, d, report->top);
	put_collectives(j, s, d, report->top);
	put_copies(j, d);
	put_gaps(j, s, d, report->gaps);
	json_end(j, '}');
}

/* Steps and the host ---------------------------------------------------- */

static void put_stats(struct json_writer *j, const char *key, int64_t total,
		      const struct stats *stats)
{
	json_key(j, key);
	json_begin(j, '{');
	put_time(j, "total", total);
	put_ns(j, "p50", stats->n > 0 ? stats_median(stats) : NAN);
	put_ns(j, "max", stats->n > 0 ? stats->v[stats->n - 1] : NAN);
	json_end(j, '}');
}

static void put_step(struct json_writer *j, const struct step_summary *k,
		     const char *name)
{
	int64_t kernels = 0;
	bool rated = k->period_tokens != STEP_UNKNOWN && k->period_total > 0;

	for (int c = 0; c < KERNEL_CATEGORIES; c++)
		kernels += k->categories[c].time;
	json_begin(j, '{');
	put_text(j, "kind", str_of(name));
	put_count(j, "count", k->count);
	put_int_or_null(j, "batch", k->batch);
	put_int_or_null(j, "tokens", k->tokens);
	put_stats(j, "host", k->host_total, &k->host);
	put_stats(j, "gpu", k->gpu_total, &k->gpu);
	put_stats(j, "period", k->period_total, &k->period);
	put_stats(j, "bubble", k->bubble_total, &k->bubble);
	json_key(j, "rate");
	json_double(j, rated ? (double)k->period_tokens * NS /
				       (double)k->period_total
			     : NAN);
	put_count(j, "kernels", k->kernels);
	put_count(j, "launches", k->launches);
	put_count(j, "graph_launches", k->graph_launches);
	put_categories(j, k->categories, kernels);
	json_end(j, '}');
}

static void put_named(struct json_writer *j, const char *key,
		      const struct intern *names,
		      const struct named_tallies *list, size_t top, bool self)
{
	json_key(j, key);
	json_begin(j, '[');
	for (size_t i = 0; i < least(list->n, top); i++) {
		json_begin(j, '{');
		put_text(j, "name", intern_text(names, list->v[i].name));
		put_tally(j, &list->v[i].of);
		if (self)
			put_time(j, "self", list->v[i].self);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_delay(struct json_writer *j, const struct stats *delays)
{
	bool any = delays->n > 0;

	json_key(j, "delay");
	json_begin(j, '{');
	put_count(j, "count", delays->n);
	put_ns(j, "p50", any ? stats_median(delays) : NAN);
	put_ns(j, "p95", any ? stats_percentile(delays, 95) : NAN);
	put_ns(j, "max", any ? delays->v[delays->n - 1] : NAN);
	json_end(j, '}');
}

static void put_host(struct json_writer *j, const struct profile_summary *s,
		     size_t top)
{
	const struct host_summary *h = &s->host;

	json_key(j, "graphs");
	json_begin(j, '{');
	put_count(j, "launches", h->graph_launches);
	put_time(j, "time", h->graph_time);
	put_count(j, "events", h->graph_events);
	put_count(j, "empty", h->graph_empty);
	json_end(j, '}');
	json_key(j, "host");
	json_begin(j, '{');
	json_key(j, "classes");
	json_begin(j, '{');
	for (int c = 0; c < CALL_CLASSES; c++)
		put_tally_max(j, call_class_names[c], &h->classes[c]);
	json_end(j, '}');
	put_named(j, "calls", &s->trace->names, &h->calls, top, false);
	put_delay(j, &h->delays);
	put_named(j, "ops", &s->trace->names, &h->ops, top, true);
	put_named(j, "python", &s->trace->names, &h->python, top, true);
	json_key(j, "overhead");
	json_begin(j, '{');
	put_count(j, "count", s->trace->overhead_count);
	put_time(j, "time", s->trace->overhead_time);
	json_end(j, '}');
	json_end(j, '}');
}

/* Verdicts -------------------------------------------------------------- */

static void put_figure(struct json_writer *j, const char *key, double v)
{
	if (isnan(v))
		return;
	json_key(j, key);
	json_double(j, v);
}

static void put_verdict(struct json_writer *j, const struct verdict *v,
			const struct profile_summary *s,
			const struct profile_group *group)
{
	json_begin(j, '{');
	put_text(j, "kind", str_of(verdict_names[v->kind]));
	if (v->device != NULL)
		put_text(j, "device",
			 intern_text(&s->trace->devices, v->device->device));
	if (group != NULL) {
		put_text(j, "group", group->name);
		put_count(j, "member", v->member);
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
	struct verdicts verdicts = {0};
	int code = verdicts_of_trace(&verdicts, s, groups, err);

	json_key(j, "verdicts");
	json_begin(j, '[');
	for (size_t i = 0; i < verdicts.n; i++)
		put_verdict(j, &verdicts.v[i], s, NULL);
	json_end(j, ']');
	verdicts_free(&verdicts);
	return code;
}

static int put_group_verdicts(struct json_writer *j,
			      const struct profile_group *group,
			      struct err *err)
{
	struct verdicts verdicts = {0};
	int code = verdicts_of_group(&verdicts, group, err);

	for (size_t i = 0; i < verdicts.n; i++)
		put_verdict(j, &verdicts.v[i], NULL, group);
	verdicts_free(&verdicts);
	return code;
}

/* Traces and groups ----------------------------------------------------- */

/* Stages are spelled in capitals and in small letters. */
static void put_lower(struct json_writer *j, struct str stage)
{
	char text[64];
	size_t n = least(stage.n, sizeof(text));

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

	put_text(j, "file", str_of(file_name(t->path)));
	put_int_or_null(j, "rank", profile_rank(s));
	put_int_or_null(j, "world_size", t->world_size);
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
	put_count(j, "events", t->events);
	put_count(j, "skipped", t->skipped);
	put_count(j, "repaired", t->repaired);
	put_count(j, "damaged", t->damaged);
	json_key(j, "truncated");
	json_bool(j, t->truncated);
	put_ns(j, "start", any ? (double)(t->base + t->earliest) : NAN);
	put_ns(j, "window", any ? (double)(t->latest - t->earliest) : NAN);
	json_key(j, "other_categories");
	json_begin(j, '{');
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
	json_key(j, "devices");
	json_begin(j, '[');
	for (size_t i = 0; i < s->device_n; i++)
		put_device(j, s, &s->devices[i], report);
	json_end(j, ']');
	json_key(j, "steps");
	json_begin(j, '[');
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
	put_text(j, "file", str_of(file_name(t->path)));
	put_text(j, "device", intern_text(&t->devices, d->device));
	put_int_or_null(j, "rank", m->rank);
	put_time(j, "span", device_span(d));
	put_time(j, "busy", d->busy);
	put_time(j, "idle", device_idle(d));
	put_ratio(j, "utilisation", (double)d->busy, (double)device_span(d));
	put_time(j, "compute", d->compute);
	put_time(j, "communication", d->communication);
	put_time(j, "exposed_communication", d->exposed_communication);
	put_time(j, "waited", m->waited);
	put_time(j, "start_wait", m->start_wait);
	put_time(j, "caused", m->caused);
	put_count(j, "last", m->last);
	put_time(j, "offset", m->offset);
	json_end(j, '}');
}

static void put_longest(struct json_writer *j,
			const struct profile_group *group, size_t n)
{
	const struct group_match **longest;

	n = least(n, group_counted(group));
	longest = malloc((n + 1) * sizeof(*longest));
	n = longest == NULL ? 0 : n;
	group_longest(group, longest, n);
	json_key(j, "longest");
	json_begin(j, '[');
	for (size_t i = 0; i < n; i++) {
		const struct group_match *m = longest[i];

		json_begin(j, '{');
		put_time(j, "at", m->late - group->origin);
		put_time(j, "skew", m->late - m->early);
		put_count(j, "last", m->last);
		put_text(j, "name", m->name);
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
	put_text(j, "name", group->name);
	json_key(j, "members");
	json_begin(j, '[');
	for (size_t i = 0; i < group->n; i++)
		put_member(j, &group->members[i]);
	json_end(j, ']');
	put_count(j, "matched", group->match_n);
	json_key(j, "unmatched");
	json_begin(j, '[');
	for (size_t i = 0; i < group->unmatched_n; i++)
		json_str(j, group->unmatched[i]);
	json_end(j, ']');
	put_time(j, "transfer", group->transfer);
	json_key(j, "skew");
	json_begin(j, '{');
	put_ns(j, "p50", any ? stats_median(skews) : NAN);
	put_ns(j, "p95", any ? stats_percentile(skews, 95) : NAN);
	put_ns(j, "max", any ? skews->v[skews->n - 1] : NAN);
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
	json_key(&j, "traces");
	json_begin(&j, '[');
	for (size_t i = 0; code == 0 && i < report->n; i++)
		code = put_trace(&j, report->traces[i], report, err);
	json_end(&j, ']');
	json_key(&j, "groups");
	json_begin(&j, '[');
	for (size_t i = 0; i < report->groups.n; i++)
		put_group(&j, &report->groups.v[i], report->gaps);
	json_end(&j, ']');
	json_key(&j, "verdicts");
	json_begin(&j, '[');
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
