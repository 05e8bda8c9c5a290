/*
 * The requests to engines, from the closed generation spans of a dump: the
 * numbers that the model (model.h) is built from. 80 bytes per request.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_ANSWERS_H
#define OBS_ROLLOUT_WHAT_IF_ANSWERS_H

#include "rollout/span.h"
#include "rollout/worker.h"

/* A number that the span does not have is NaN. */
struct answer_attrs {
	size_t place;			   /* of its row, in the row store */
	uint32_t span;			   /* among the row's timed spans */
	uint32_t worker;		   /* WORKER_UNKNOWN: unknown */
	double prompt, cached, completion; /* tokens */
	double latency, queue;		   /* seconds */
	double throughput;		   /* decode tokens per second */
	double pd_forward;		   /* seconds of decode; only for PD */
	double pd_prefill;		   /* seconds of that phase; likewise */
};

/* In the order rows were added. Zero-initialised, it is empty. */
struct answers {
	struct answer_attrs *v;
	size_t n, cap;
};

void answers_free(struct answers *list);

/* Add the requests of a row that will be at that position. 0 or an error. */
int answers_add(struct answers *list, struct workers *workers,
		const struct sample *sample, const struct row *row,
		size_t place, struct err *err);

#endif
