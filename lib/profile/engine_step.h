/*
 * The steps of an engine: annotations around one forward pass, of SGLang
 * (step[DECODE bs=8]), vLLM (execute_context_0(0)_generation_8(8)) or
 * torch.profiler (ProfilerStep#5).
 */
#ifndef OBS_PROFILE_ENGINE_STEP_H
#define OBS_PROFILE_ENGINE_STEP_H

#include "profile/profile_trace.h"
#include "profile/step_name.h"

/* A step and its activity. */
struct engine_step {
	int64_t start, end;
	uint32_t thread;
	uint32_t name; /* in trace.names */
	struct engine_step_name is;
	int64_t gpu;		     /* durations of its GPU events */
	int64_t first_gpu, last_gpu; /* first start, last end */
	uint64_t gpu_events, kernels, launches, graph_launches;
};

/* Owns v; sorted by thread and start. */
struct engine_steps {
	struct engine_step *v;
	size_t n, cap;
};

/* The outermost steps of a trace. 0 or an error. */
int engine_steps_find(struct engine_steps *steps,
		      const struct profile_trace *trace, struct err *err);
void engine_steps_free(struct engine_steps *steps);

/* The step of a thread at a time; PROFILE_NONE if there is none. */
int32_t engine_step_at(const struct engine_steps *steps, uint32_t thread,
		       int64_t time);

#endif
