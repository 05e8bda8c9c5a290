/* What each GPU of a trace did: one sweep over its events in order. */
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

/* The devices' numbers become their order. */
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

static int compare_events(const void *x, const void *y)
{
	const struct gpu_event *a = x;
	const struct gpu_event *b = y;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Sort events by device, start and place in the file. Their devices are in
 * order then, and numbers[] says which each is. */
static int sort_events(struct profile_trace *t, uint32_t *numbers,
		       struct err *err)
{
	uint32_t *order = malloc((t->devices.count + 1) * sizeof(*order));
	int code = order == NULL ? err_memory(err)
				 : order_devices(t, order, err);

	for (size_t i = 0; code == 0 && i < t->gpu_n; i++)
		t->gpu_events[i].device = order[t->gpu_events[i].device];
	for (uint32_t i = 0; code == 0 && i < t->devices.count; i++)
		numbers[order[i]] = i;
	if (code == 0 && t->gpu_n > 0)
		qsort(t->gpu_events, t->gpu_n, sizeof(*t->gpu_events),
		      compare_events);
	free(order);
	return code;
}

/* Unions ---------------------------------------------------------------- */

/* How much time is covered by intervals that come in order of their start. */
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
	struct running_union with_copies[COPY_KINDS]; /* kernels and a kind */
};

static enum copy_kind copy_kind_of(struct str name)
{
	for (int k = 0; k < COPY_OTHER; k++)
		if (memmem(name.p, name.n, copy_kind_names[k], 4) != NULL)
			return (enum copy_kind)k;
	return COPY_OTHER;
}

static void add_to_unions(struct unions *u, const struct gpu_event *e,
			  enum kernel_category category, enum copy_kind kind)
{
	union_add(&u->all, e);
	if (e->kind != GPU_KERNEL) {
		union_add(&u->copy, e);
		if (e->kind == GPU_COPY)
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

/* What is counted by name; zero between devices. */
struct places {
	uint32_t *names, *streams, *shorts;
	int64_t *stream_end; /* the latest so far */
};

static void count_copy(struct device_summary *d, const struct gpu_event *e,
		       struct str name, enum copy_kind kind)
{
	struct copies *copies = &d->copies[kind];

	copies->count++;
	copies->bytes += e->bytes;
	copies->time += e->dur;
	copies->pageable += memmem(name.p, name.n, "Pageable", 8) != NULL;
}

static int count_kernel(struct profile_summary *s, struct device_summary *d,
			struct places *places, const struct gpu_event *e,
			struct err *err)
{
	enum kernel_category category =
		(enum kernel_category)s->names.category[e->name];

	d->kernels++;
	d->kernel_time += e->dur;
	tally_count(&d->categories[category], e->dur);
	if (tally_add(&d->top, places->names, e->name, e->dur, err) < 0)
		return err->code;
	if (category != KERNEL_COMMUNICATION)
		return 0;
	return tally_add(&d->collectives, places->shorts,
			 s->names.short_of[e->name], e->dur, err);
}

/* Time by which an event of a stream begins before the latest end so far. */
static void count_overlap(struct device_summary *d, struct places *places,
			  const struct gpu_event *e)
{
	int64_t *latest = &places->stream_end[e->stream];
	int64_t over = *latest - e->start;

	if (places->streams[e->stream] != 0 && over > 0)
		d->overlap += over < e->dur ? over : e->dur;
	if (places->streams[e->stream] == 0 || e->start + e->dur > *latest)
		*latest = e->start + e->dur;
}

static int count_event(struct profile_summary *s, struct device_summary *d,
		       struct places *places, struct unions *u,
		       const struct gpu_event *e, struct err *err)
{
	struct str name = intern_text(&s->trace->names, e->name);
	enum copy_kind kind = e->kind == GPU_COPY ? copy_kind_of(name)
						  : COPY_OTHER;

	add_to_unions(u, e, (enum kernel_category)s->names.category[e->name],
		      kind);
	if (e->start + e->dur > d->end)
		d->end = e->start + e->dur;
	if (e->call != PROFILE_NONE) {
		d->called++;
		d->early += e->start < s->trace->calls.v[e->call].start;
	}
	count_overlap(d, places, e);
	if (tally_add(&d->streams, places->streams, e->stream, e->dur, err) < 0)
		return err->code;
	if (e->kind == GPU_KERNEL)
		return count_kernel(s, d, places, e, err);
	if (e->kind == GPU_COPY)
		count_copy(d, e, name, kind);
	return 0;
}

static int sweep(struct profile_summary *s, struct device_summary *d,
		 struct places *places, struct err *err)
{
	const struct gpu_event *events = s->trace->gpu_events + d->begin;
	struct unions u = {0};
	int code = 0;

	d->start = events[0].start;
	d->end = events[0].start;
	for (size_t i = 0; code == 0 && i < d->n; i++)
		code = count_event(s, d, places, &u, &events[i], err);
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

static int find_devices(struct profile_summary *s, const uint32_t *numbers,
			struct err *err)
{
	const struct profile_trace *t = s->trace;

	for (size_t i = 0; i < t->gpu_n; i++) {
		struct device_summary *d;

		if (i > 0 &&
		    t->gpu_events[i].device == t->gpu_events[i - 1].device) {
			s->devices[s->device_n - 1].n++;
			continue;
		}
		if (!ARRAY_GROW(s->devices, s->device_n, s->device_cap))
			return err_memory(err);
		d = &s->devices[s->device_n++];
		*d = (struct device_summary){
			.device = numbers[t->gpu_events[i].device],
			.begin = i,
			.n = 1};
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
	uint32_t *numbers =
		calloc(s->trace->devices.count + 1, sizeof(*numbers));
	struct places places = {0};
	int code = numbers == NULL || !make_places(&places, s)
			   ? err_memory(err)
			   : sort_events(s->trace, numbers, err);

	if (code == 0)
		code = find_devices(s, numbers, err);
	for (size_t i = 0; code == 0 && i < s->device_n; i++) {
		code = sweep(s, &s->devices[i], &places, err);
		if (code == 0)
			code = device_find_gaps(s, &s->devices[i], err);
	}
	free(numbers);
	free(places.names);
	free(places.streams);
	free(places.shorts);
	free(places.stream_end);
	return code;
}
