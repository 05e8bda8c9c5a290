/* The activity of each GPU of a trace: one sweep over its events in order. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"
#include "profile/summary.h"

const char *const copy_kind_names[COPY_KINDS] = {
	[COPY_HTOD] = "HtoD", [COPY_DTOH] = "DtoH", [COPY_DTOD] = "DtoD",
	[COPY_PTOP] = "PtoP", [COPY_HTOH] = "HtoH", [COPY_OTHER] = "other",
};

/* Order ----------------------------------------------------------------- */

struct device_name {
	struct str text;
	int64_t number;
	bool is_number;
	uint32_t device;
};

/* Numbers first. */
static int compare_names(const void *x, const void *y)
{
	const struct device_name *a = x;
	const struct device_name *b = y;

	if (a->is_number != b->is_number)
		return a->is_number ? -1 : 1;
	if (a->is_number && a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return str_cmp(a->text, b->text);
}

/* Replace the devices' numbers by their order. */
static int order_devices(struct profile_trace *t, uint32_t *order,
			 struct err *err)
{
	size_t n = t->devices.count;
	struct device_name *names = calloc(n + 1, sizeof(*names));

	if (names == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < n; i++) {
		names[i].text = intern_text(&t->devices, i);
		names[i].device = i;
		names[i].is_number =
			num_parse_int(names[i].text, &names[i].number);
	}
	qsort(names, n, sizeof(*names), compare_names);
	for (uint32_t i = 0; i < n; i++)
		order[names[i].device] = i;
	free(names);
	return 0;
}

/* The sort key of events. */
struct event_order {
	const struct profile_trace *t;
	uint32_t *devices; /* the position of each in the order */
};

static int compare_events(const void *x, const void *y, const void *context)
{
	const struct event_order *by = context;
	const struct gpu_event *a = x;
	const struct gpu_event *b = y;

	if (a->work != b->work && by->t->devices.count > 1) {
		uint32_t left = trace_work(by->t, a->work)->device;
		uint32_t right = trace_work(by->t, b->work)->device;

		if (left != right)
			return by->devices[left] < by->devices[right] ? -1 : 1;
	}
	return (a->start > b->start) - (a->start < b->start);
}

/* Sort events by device, start and position in the file. */
static int sort_events(struct profile_trace *t, struct err *err)
{
	struct event_order by = {
		t, malloc((t->devices.count + 1) * sizeof(uint32_t))};
	int code = by.devices == NULL ? err_memory(err)
				      : order_devices(t, by.devices, err);

	if (code == 0)
		code = spill_list_sort(&t->gpu_events, compare_events, &by,
				       err);
	free(by.devices);
	return code;
}

/* Unions ---------------------------------------------------------------- */

/* The time covered by intervals sorted by start. */
struct running_union {
	int64_t end, total;
	bool any;
};

static void union_add(struct running_union *u, const struct gpu_event *e)
{
	int64_t end = e->start + e->dur;

	if (!u->any || e->start > u->end) {
		u->total += e->dur;
		u->end = end;
	} else if (end > u->end) {
		u->total += end - u->end;
		u->end = end;
	}
	u->any = true;
}

struct unions {
	struct running_union all, kernels, compute, communication, copy;
	struct running_union with_copies[COPY_KINDS]; /* kernels and one kind */
};

static enum copy_kind copy_kind_of(struct str name)
{
	for (int k = 0; k < COPY_OTHER; k++)
		if (memmem(name.p, name.n, copy_kind_names[k], 4) != NULL)
			return (enum copy_kind)k;
	return COPY_OTHER;
}

static void add_to_unions(struct unions *u, const struct gpu_event *e,
			  enum gpu_kind is, enum kernel_category category,
			  enum copy_kind kind)
{
	union_add(&u->all, e);
	if (is != GPU_KERNEL) {
		union_add(&u->copy, e);
		if (is == GPU_COPY)
			union_add(&u->with_copies[kind], e);
		return;
	}
	union_add(&u->kernels, e);
	union_add(category == KERNEL_COMMUNICATION ? &u->communication
						   : &u->compute,
		  e);
	for (int k = 0; k < COPY_KINDS; k++)
		union_add(&u->with_copies[k], e);
}

/* One device ------------------------------------------------------------ */

/* Tallies by name; zero between devices. */
struct places {
	uint32_t *names, *streams, *shorts;
	int64_t *stream_end; /* the latest end so far */
};

static void count_copy(struct device_summary *d, const struct gpu_event *e,
		       struct str name, enum copy_kind kind)
{
	struct copies *copies = &d->copies[kind];

	copies->count++;
	copies->time += e->dur;
	copies->pageable += memmem(name.p, name.n, "Pageable", 8) != NULL;
}

static int count_collective(struct profile_summary *s, struct device_summary *d,
			    struct places *places, const struct gpu_event *e,
			    struct err *err)
{
	uint32_t name = trace_work(s->trace, e->work)->name;

	if (!ARRAY_GROW(d->collective_events, d->collective_n,
			d->collective_cap))
		return err_memory(err);
	d->collective_events[d->collective_n++] =
		(struct collective_event){e->start, e->dur, e->work};
	return tally_add(&d->collectives, places->shorts,
			 s->names.short_of[name], e->dur, err);
}

static int count_kernel(struct profile_summary *s, struct device_summary *d,
			struct places *places, const struct gpu_event *e,
			struct err *err)
{
	const struct gpu_work *work = trace_work(s->trace, e->work);

	d->kernels++;
	d->kernel_time += e->dur;
	tally_count(&d->categories[s->names.category[work->name]], e->dur);
	if (tally_add(&d->top, places->names, work->name, e->dur, err) < 0)
		return err->code;
	return work_communicates(s, work)
		       ? count_collective(s, d, places, e, err)
		       : 0;
}

/* The time by which an event overlaps the latest end of its stream. */
static void count_overlap(struct device_summary *d, struct places *places,
			  const struct gpu_event *e, uint32_t stream)
{
	int64_t *latest = &places->stream_end[stream];
	int64_t over = *latest - e->start;

	if (places->streams[stream] != 0 && over > 0)
		d->overlap += over < e->dur ? over : e->dur;
	if (places->streams[stream] == 0 || e->start + e->dur > *latest)
		*latest = e->start + e->dur;
}

static int count_event(struct profile_summary *s, struct device_summary *d,
		       struct places *places, struct unions *u,
		       const struct gpu_event *e, struct err *err)
{
	const struct gpu_work *work = trace_work(s->trace, e->work);
	struct str name = intern_text(&s->trace->names, work->name);
	enum copy_kind kind = work->kind == GPU_COPY ? copy_kind_of(name)
						     : COPY_OTHER;
	const struct host_call *call = trace_call_of(s->trace, e);

	add_to_unions(u, e, work->kind,
		      (enum kernel_category)s->names.category[work->name],
		      kind);
	if (e->start + e->dur > d->end)
		d->end = e->start + e->dur;
	if (call != NULL) {
		d->called++;
		d->early += e->start < call->start;
	}
	count_overlap(d, places, e, work->stream);
	if (tally_add(&d->streams, places->streams, work->stream, e->dur, err) <
	    0)
		return err->code;
	if (work->kind == GPU_KERNEL)
		return count_kernel(s, d, places, e, err);
	if (work->kind == GPU_COPY)
		count_copy(d, e, name, kind);
	return 0;
}

/* Bytes were tallied by work. */
static void count_bytes(const struct profile_trace *t, struct device_summary *d)
{
	for (uint32_t i = 0; i < t->works.count; i++) {
		const struct gpu_work *work = trace_work(t, i);
		struct str name = intern_text(&t->names, work->name);

		if (work->device == d->device && work->kind == GPU_COPY)
			d->copies[copy_kind_of(name)].bytes += t->work_bytes[i];
	}
}

static int sweep(struct profile_summary *s, struct device_summary *d,
		 struct places *places, struct err *err)
{
	struct unions u = {0};
	int code = 0;

	d->start = d->end = trace_gpu(s->trace, d->begin)->start;
	for (size_t i = d->begin; code == 0 && i < d->begin + d->n; i++) {
		code = count_event(s, d, places, &u, trace_gpu(s->trace, i),
				   err);
		profile_trace_pass(s->trace, i);
	}
	count_bytes(s->trace, d);
	d->busy = u.all.total;
	d->compute = u.compute.total;
	d->communication = u.communication.total;
	d->exposed_communication = u.kernels.total - u.compute.total;
	d->copy = u.copy.total;
	d->exposed_copy = u.all.total - u.kernels.total;
	for (int k = 0; k < COPY_KINDS; k++)
		d->copies[k].exposed = u.with_copies[k].total - u.kernels.total;
	tally_sort(&d->streams, places->streams, &s->trace->streams, false);
	tally_sort(&d->top, places->names, &s->trace->names, false);
	tally_sort(&d->collectives, places->shorts, &s->names.shorts, false);
	return code;
}

/* All of them ----------------------------------------------------------- */

static int find_devices(struct profile_summary *s, struct err *err)
{
	const struct profile_trace *t = s->trace;

	for (size_t i = 0; i < t->gpu_events.n; i++) {
		uint32_t device = trace_work(t, trace_gpu(t, i)->work)->device;
		struct device_summary *d;

		profile_trace_pass(t, i);
		if (i > 0 && device == s->devices[s->device_n - 1].device) {
			s->devices[s->device_n - 1].n++;
			continue;
		}
		if (!ARRAY_GROW(s->devices, s->device_n, s->device_cap))
			return err_memory(err);
		d = &s->devices[s->device_n++];
		*d = (struct device_summary){
			.device = device, .begin = i, .n = 1};
	}
	return 0;
}

static bool make_places(struct places *p, const struct profile_summary *s)
{
	const struct profile_trace *t = s->trace;

	p->names = calloc(t->names.count + 1, sizeof(*p->names));
	p->streams = calloc(t->streams.count + 1, sizeof(*p->streams));
	p->shorts = calloc(s->names.shorts.count + 1, sizeof(*p->shorts));
	p->stream_end = calloc(t->streams.count + 1, sizeof(*p->stream_end));
	return p->names != NULL && p->streams != NULL && p->shorts != NULL &&
	       p->stream_end != NULL;
}

int devices_summarise(struct profile_summary *s, struct err *err)
{
	struct places places = {0};
	int code = make_places(&places, s) ? sort_events(s->trace, err)
					   : err_memory(err);

	if (code == 0)
		code = find_devices(s, err);
	for (size_t i = 0; code == 0 && i < s->device_n; i++) {
		code = sweep(s, &s->devices[i], &places, err);
		if (code == 0)
			code = device_find_gaps(s, &s->devices[i], err);
	}
	free(places.names);
	free(places.streams);
	free(places.shorts);
	free(places.stream_end);
	return code;
}
