#include "profile/summary.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"

/* Names ----------------------------------------------------------------- */

/* Short names and categories of all kernel names. */
static int name_kernels(struct profile_summary *s, struct err *err)
{
	const struct profile_trace *t = s->trace;
	struct buf text = buf_new(LIMIT_STRING);

	s->names.shorts = intern_new(LIMIT_KEPT);
	s->names.short_of = malloc((t->names.count + 1) * sizeof(uint32_t));
	s->names.category = malloc(t->names.count + 1);
	if (s->names.short_of == NULL || s->names.category == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->names.count; i++)
		s->names.short_of[i] = INTERN_FAILED;
	for (uint32_t i = 0; i < t->works.count; i++) {
		uint32_t name = trace_work(t, i)->name;

		if (s->names.short_of[name] != INTERN_FAILED)
			continue;
		s->names.category[name] = (uint8_t)kernel_category_of(
			intern_text(&t->names, name), &text);
		buf_clear(&text);
		kernel_put_short_name(&text, intern_text(&t->names, name));
		s->names.short_of[name] =
			intern_add(&s->names.shorts, buf_str(&text));
		if (text.failed || s->names.short_of[name] == INTERN_FAILED) {
			buf_free(&text);
			return err_memory(err);
		}
	}
	buf_free(&text);
	return 0;
}

struct str gpu_work_name(const struct profile_summary *s, uint32_t number)
{
	const struct gpu_work *work = trace_work(s->trace, number);
	struct str name = intern_text(&s->trace->names, work->name);
	const char *at;

	if (work->kind == GPU_KERNEL)
		return intern_text(&s->names.shorts,
				   s->names.short_of[work->name]);
	at = memmem(name.p, name.n, " (", 2);
	return at == NULL ? name : str_make(name.p, (size_t)(at - name.p));
}

struct profile_summary *profile_summarise(struct profile_trace *trace,
					  size_t gaps, struct err *err)
{
	struct profile_summary *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		profile_trace_free(trace);
		err_memory(err);
		return NULL;
	}
	s->trace = trace;
	s->gaps = gaps;
	if (name_kernels(s, err) == 0 &&
	    engine_steps_find(&s->steps, trace, err) == 0 &&
	    devices_summarise(s, err) == 0 && steps_summarise(s, err) == 0 &&
	    host_summarise(s, err) == 0) {
		profile_trace_drop(trace);
		return s;
	}
	profile_summary_free(s);
	return NULL;
}

static void free_device(struct device_summary *d)
{
	free(d->streams.v);
	free(d->top.v);
	free(d->collectives.v);
	free(d->gaps);
	free(d->collective_events);
}

static void free_kind(struct engine_step_sums *kind)
{
	stats_free(&kind->host);
	stats_free(&kind->gpu);
	stats_free(&kind->period);
	stats_free(&kind->bubble);
}

void profile_summary_free(struct profile_summary *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->device_n; i++)
		free_device(&s->devices[i]);
	for (int i = 0; i < STEP_KINDS; i++)
		free_kind(&s->kinds[i]);
	free(s->devices);
	free(s->host.calls.v);
	free(s->host.ops.v);
	free(s->host.python.v);
	intern_free(&s->names.shorts);
	free(s->names.short_of);
	free(s->names.category);
	engine_steps_free(&s->steps);
	profile_trace_free(s->trace);
	free(s);
}
