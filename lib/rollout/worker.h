/*
 * Which worker (engine) served a request, from its span or its sample, and how
 * fast each worker was.
 *
 * It is the first of these attributes that is neither null nor empty, of the
 * span's end, then of its start, else of the sample's fields: worker_addr,
 * worker, worker_url, engine, engine_addr, server, server_url, url. Only host
 * and port of an http or https URL are used, and of any other address all but a
 * user and password. A data parallel rank (dp_rank) is
 * appended as @N unless the address ends with one; without an address it is
 * "dp_rank N".
 */
#ifndef OBS_ROLLOUT_WORKER_H
#define OBS_ROLLOUT_WORKER_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/stats.h"
#include "rollout/rollout.h"
#include "rollout/span.h"

/* The names above, then dp_rank; NULL-terminated. */
extern const char *const worker_keys[];

/* Before the first sample: request the samples' fields with these names. */
void workers_want(struct rollout *rollout);

/* Set text to the worker of a request with these attributes; sample may be
 * NULL. False if it is unknown; text fails if out of memory. */
bool worker_of(struct buf *text, struct value end_attrs,
	       struct value start_attrs, const struct sample *sample);

enum { WORKER_UNKNOWN = UINT32_MAX };

struct worker_speed {
	struct stats token_times; /* seconds per token, one per request */
	double token_time;	  /* their median, or see by_steps; NaN: none */
	bool slow;
};

/* All workers of a dump. Zero-initialised except for texts and scratch. */
struct workers {
	struct intern texts;
	struct worker_speed *v; /* by number of its text */
	size_t cap;
	double usual;  /* median token_time of those that are not slow */
	bool by_steps; /* token_time and usual are fitted decode steps */
	struct buf scratch;
};

struct workers workers_new(void);
void workers_free(struct workers *workers);

/* The number of the request's worker, WORKER_UNKNOWN, or less than 0 with err
 * filled. */
int64_t workers_number(struct workers *workers, const struct item *item,
		       const struct sample *sample, struct err *err);

/* Set *worker to the one whose requests took most of the sample's time,
 * WORKER_UNKNOWN if none is known. Returns 0 or an error. */
int workers_most(struct workers *workers, const struct sample *sample,
		 const struct row *row, uint32_t *worker, struct err *err);

/* The same, and add the requests to the speeds of their workers. */
int workers_add(struct workers *workers, const struct sample *sample,
		const struct row *row, uint32_t *worker, struct err *err);

/* After the last sample: find the slow ones, whose median seconds per token
 * exceed 1.3 times the median of all workers' medians, or the smaller one of
 * two: as obs-top judges engines. 0 or ERR_MEMORY. */
int workers_judge(struct workers *workers, struct err *err);

#endif
