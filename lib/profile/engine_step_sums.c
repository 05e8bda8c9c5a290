/* The time of the steps of a kind, on the host and on the GPUs. */
#include "profile/summary.h"

/* A GPU event belongs to the step in which its call starts. */
static void add_gpu_event(struct profile_summary *s, const struct gpu_event *e)
{
	const struct host_call *call = trace_call_of(s->trace, e);
	const struct gpu_work *work = trace_work(s->trace, e->work);
	struct engine_step_sums *kind;
	struct engine_step *step;
	int32_t at;

	if (call == NULL)
		return;
	at = engine_step_at(&s->steps, call->thread, call->start);
	if (at == PROFILE_NONE)
		return;
	step = &s->steps.v[at];
	kind = &s->kinds[step->is.kind];
	step->gpu += e->dur;
	step->gpu_events++;
	if (e->start < step->first_gpu)
		step->first_gpu = e->start;
	if (e->start + e->dur > step->last_gpu)
		step->last_gpu = e->start + e->dur;
	if (work->kind != GPU_KERNEL)
		return;
	step->kernels++;
	tally_count(&kind->categories[s->names.category[work->name]], e->dur);
}

static void add_call(struct profile_summary *s, const struct host_call *call)
{
	int32_t at;

	if (call->class != CALL_LAUNCH && call->class != CALL_GRAPH)
		return;
	at = engine_step_at(&s->steps, call->thread, call->start);
	if (at == PROFILE_NONE)
		return;
	s->steps.v[at].launches++;
	s->steps.v[at].graph_launches += call->class == CALL_GRAPH;
}

/* A sum with an unknown part is unknown. */
static void add_known(int64_t *sum, int64_t part)
{
	if (*sum == STEP_UNKNOWN || part == STEP_UNKNOWN ||
	    __builtin_add_overflow(*sum, part, sum))
		*sum = STEP_UNKNOWN;
}

static int add_step(struct engine_step_sums *kind,
		    const struct engine_step *step,
		    const struct engine_step *next, struct err *err)
{
	bool fits = stats_add(&kind->host, (double)(step->end - step->start)) &&
		    stats_add(&kind->gpu, (double)step->gpu);

	kind->count++;
	kind->kernels += step->kernels;
	kind->launches += step->launches;
	kind->graph_launches += step->graph_launches;
	kind->host_total += step->end - step->start;
	kind->gpu_total += step->gpu;
	add_known(&kind->batch, step->is.batch);
	add_known(&kind->tokens, step->is.tokens);
	if (next != NULL) {
		fits &= stats_add(&kind->period,
				  (double)(next->start - step->start));
		kind->period_total += next->start - step->start;
		add_known(&kind->period_tokens, step->is.tokens);
	}
	if (next != NULL && step->gpu_events > 0 && next->gpu_events > 0) {
		int64_t bubble = next->first_gpu - step->last_gpu;

		bubble = bubble < 0 ? 0 : bubble;
		fits &= stats_add(&kind->bubble, (double)bubble);
		kind->bubble_total += bubble;
	}
	return fits ? 0 : err_memory(err);
}

int steps_summarise(struct profile_summary *s, struct err *err)
{
	const struct engine_steps *steps = &s->steps;
	int code = 0;

	for (size_t i = 0; steps->n > 0 && i < s->trace->gpu_events.n; i++) {
		add_gpu_event(s, trace_gpu(s->trace, i));
		profile_trace_pass(s->trace, i);
	}
	for (size_t i = 0; steps->n > 0 && i < s->trace->calls.n; i++) {
		add_call(s, trace_call(s->trace, i));
		profile_trace_pass(s->trace, i);
	}
	for (size_t i = 0; code == 0 && i < steps->n; i++) {
		const struct engine_step *step = &steps->v[i];
		bool follows = i + 1 < steps->n &&
			       steps->v[i + 1].thread == step->thread;

		code = add_step(&s->kinds[step->is.kind], step,
				follows ? step + 1 : NULL, err);
	}
	for (int k = 0; k < STEP_KINDS; k++) {
		stats_sort(&s->kinds[k].host);
		stats_sort(&s->kinds[k].gpu);
		stats_sort(&s->kinds[k].period);
		stats_sort(&s->kinds[k].bubble);
	}
	return code;
}
