#include "sink/profile/json_figures.h"

static void put_streams(struct json_writer *j, const struct profile_trace *t,
			const struct named_tallies *streams, size_t top)
{
	json_add_begin(j, "streams", '[');
	for (size_t i = 0; i < size_least(streams->n, top); i++) {
		json_begin(j, '{');
		json_add_str(j, "stream",
			     intern_text(&t->streams, streams->v[i].name));
		figure_tally(j, &streams->v[i].of);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_top(struct json_writer *j, const struct profile_summary *s,
		    const struct device_summary *d, size_t top)
{
	json_add_begin(j, "top", '[');
	for (size_t i = 0; i < size_least(d->top.n, top); i++) {
		const struct named_tally *t = &d->top.v[i];
		uint32_t name = t->name;

		json_begin(j, '{');
		json_add_str(j, "name",
			     intern_text(&s->names.shorts,
					 s->names.short_of[name]));
		json_add_str(j, "full", intern_text(&s->trace->names, name));
		json_add_str(
			j, "category",
			str_of(kernel_category_names[s->names.category[name]]));
		figure_tally(j, &t->of);
		figure_ratio(j, "share", (double)t->of.time,
			     (double)d->kernel_time);
		figure_ns(j, "mean", (double)t->of.time / (double)t->of.count);
		figure_time(j, "max", t->of.max);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_collectives(struct json_writer *j,
			    const struct profile_summary *s,
			    const struct device_summary *d, size_t top)
{
	int64_t all = d->categories[KERNEL_COMMUNICATION].time;

	json_add_begin(j, "collectives", '[');
	for (size_t i = 0; i < size_least(d->collectives.n, top); i++) {
		const struct named_tally *t = &d->collectives.v[i];

		json_begin(j, '{');
		json_add_str(j, "name", intern_text(&s->names.shorts, t->name));
		figure_tally(j, &t->of);
		figure_ratio(j, "share", (double)t->of.time, (double)all);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_copies(struct json_writer *j, const struct device_summary *d)
{
	bool done[COPY_KINDS] = {false};

	json_add_begin(j, "copies", '[');
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
		json_add_str(j, "kind", str_of(copy_kind_names[next]));
		json_add_uint(j, "count", c->count);
		json_add_int(j, "bytes", c->bytes);
		figure_time(j, "time", c->time);
		json_add_uint(j, "pageable", c->pageable);
		figure_time(j, "exposed", c->exposed);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_gap(struct json_writer *j, const struct profile_summary *s,
		    const struct gap *gap)
{
	const struct profile_trace *t = s->trace;

	json_begin(j, '{');
	figure_time(j, "start", gap->start - t->earliest);
	figure_time(j, "time", gap->time);
	json_add_str(j, "cause", str_of(gap_cause_names[gap->cause]));
	json_add_str(j, "before", gpu_work_name(s, gap->before));
	json_add_str(j, "after", gpu_work_name(s, gap->after));
	json_key(j, "call");
	if (gap->call == GAP_NO_CALL)
		json_null(j);
	else
		json_str(j, intern_text(&t->names, gap->call));
	json_key(j, "step");
	if (gap->step == GAP_NO_STEP)
		json_null(j);
	else
		json_str(j, intern_text(&t->names, gap->step));
	json_end(j, '}');
}

static void put_gaps(struct json_writer *j, const struct profile_summary *s,
		     const struct device_summary *d, size_t longest)
{
	json_add_begin(j, "gaps", '{');
	json_add_uint(j, "count", d->gap_count);
	figure_time(j, "time", device_idle(d));
	json_add_begin(j, "causes", '{');
	for (int c = 0; c < GAP_CAUSES; c++)
		figure_tally_max(j, gap_cause_names[c], &d->causes[c]);
	json_end(j, '}');
	json_add_begin(j, "after_sync", '{');
	figure_tally(j, &d->after_sync);
	json_end(j, '}');
	json_add_begin(j, "longest", '[');
	for (size_t i = 0; i < size_least(d->gap_n, longest); i++)
		put_gap(j, s, &d->gaps[i]);
	json_end(j, ']');
	json_end(j, '}');
}

void profile_put_device(struct json_writer *j, const struct profile_summary *s,
			const struct device_summary *d,
			const struct profile_report *report)
{
	json_begin(j, '{');
	json_add_str(j, "device", intern_text(&s->trace->devices, d->device));
	figure_time(j, "start", d->start - s->trace->earliest);
	figure_device(j, d);
	figure_time(j, "copy", d->copy);
	figure_time(j, "exposed_copy", d->exposed_copy);
	json_add_uint(j, "kernels", d->kernels);
	figure_time(j, "kernel_time", d->kernel_time);
	figure_time(j, "overlap", d->overlap);
	json_add_uint(j, "early", d->early);
	put_streams(j, s->trace, &d->streams, report->top);
	figure_categories(j, d->categories, d->kernel_time);
	put_top(j, s, d, report->top);
	put_collectives(j, s, d, report->top);
	put_copies(j, d);
	put_gaps(j, s, d, report->gaps);
	json_end(j, '}');
}
