/*
 * What the closed generation spans of a dump say of their requests to the
 * engines: the numbers that the model (model.h) is made of. 64 bytes a
 * request.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_ANSWERS_H
#define OBS_ROLLOUT_WHAT_IF_ANSWERS_H

#include "rollout/span.h"
#include "rollout/worker.h"

/* A number that the span does not say is NaN. */
struct answer_attrs {
	size_t place;			   /* of its row in the row store */
	uint32_t span;			   /* among the row's timed spans */
	uint32_t worker;		   /* WORKER_UNKNOWN: not known */
	double prompt, cached, completion; /* tokens */
	double latency, queue;		   /* seconds */
	double throughput;		   /* tokens a second of decode */
	double pd_forward;		   /* seconds of decode; PD only */
};

/* In the order in which rows were taken in. Zero-initialised it is empty. */
struct answers {
	struct answer_attrs *v;
	size_t n, cap;
};

void answers_free(struct answers *list);

/* Take in the requests of a row that goes to that place. 0 or an error. */
int answers_add(struct answers *list, struct workers *workers,
		const struct sample *sample, const struct row *row,
		size_t place, struct err *err);

#endif
