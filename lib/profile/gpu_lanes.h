/*
 * GPU activity of engines over a window of time, reduced to screen resolution:
 * per GPU the share of time it was busy and the share a collective ran, by the
 * intervals of profile/summary.h, and the steps of the engine.
 */
#ifndef OBS_PROFILE_GPU_LANES_H
#define OBS_PROFILE_GPU_LANES_H

#include "base/arena.h"
#include "profile/profile_trace.h"

enum {
	GPU_BINS = 2048,
	GPU_STEPS = 8192, /* beyond that, steps in the same bin are joined */
	GPU_WHOLE = 1000, /* a fully busy bin */
};

struct gpu_step {
	int64_t start, end; /* ns of Unix time */
	struct str name;    /* of the annotation; if joined, of the first */
	uint32_t count;	    /* number of joined steps */
};

struct gpu_lane {
	struct str device; /* its number in the profile */
	int64_t from, to;  /* ns of Unix time, of the bins */
	uint16_t busy[GPU_BINS];
	uint16_t collective[GPU_BINS];
};

/* Lanes of one profile. */
struct gpu_profile {
	struct str path;
	int64_t rank; /* or PROFILE_NONE */
	struct gpu_lane *lanes;
	size_t n;
	struct gpu_step *steps; /* by start */
	size_t steps_n;
};

struct gpu_lanes {
	struct gpu_profile *v;
	size_t n, cap;
	struct arena text;
};

struct gpu_lanes gpu_lanes_new(void);
void gpu_lanes_free(struct gpu_lanes *l);

/*
 * Add the part of a trace, which stays the caller's, in [from, to], ns of Unix
 * time. Returns 1; 0 if it has nothing there; or an error.
 */
int gpu_lanes_add(struct gpu_lanes *l, const struct profile_trace *trace,
		  int64_t from, int64_t to, struct err *err);

#endif
