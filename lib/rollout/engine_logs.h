/*
 * The request logs of engines, beside a dump of the rollout that they served:
 * what the engines know of each request joins the dump's span of it.
 *
 *	engine_logs_begin, engine_logs_next ...	each log is read
 *	engine_logs_see				each sample, in a first reading
 *	engine_logs_settle			how the clocks differ
 *	engine_logs_join			each sample, in the second one
 *
 * A record of SGLang's request log, or a generation span of OTLP, belongs to
 * the request of the dump whose end attribute sglang_request_id (or rid,
 * gen_ai.request.id) equals its id. Of several records of one id it is the one
 * that overlaps the span most, else the last; but the two sides of a request
 * that was disaggregated, which are two records, join it both.
 *
 * What the span has stays. It gets what it lacks: queue_time, e2e_latency,
 * decode_throughput, the numbers of tokens, weight_version, and as worker_addr
 * the worker whose log it is; and, where it has no spans below it, spans of its
 * queue, prefill and decode. These have the engine's clock: where records lie
 * outside of their spans by one and the same time, it is taken off.
 */
#ifndef OBS_ROLLOUT_ENGINE_LOGS_H
#define OBS_ROLLOUT_ENGINE_LOGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "fmt/input.h"
#include "rollout/sample.h"

struct engine_logs;

/* A log that was read. */
struct engine_log {
	const char *name;   /* for messages; borrowed */
	const char *worker; /* borrowed; NULL: not known */
	double offset;	    /* of its clock, s: it is ahead of the dump's */
	bool unsure;	    /* it lies outside, but by no one time */
	size_t first;	    /* of its records; private */
	size_t records;
	size_t outside; /* requests that got no spans because they lie outside
			 * of theirs */
};

/* Is it a log whose records have the ids of requests? */
bool engine_logs_detect(struct str head);

/* NULL when memory ran out. */
struct engine_logs *engine_logs_new(void);
void engine_logs_free(struct engine_logs *logs);

/* Begin with a log. The input is borrowed until the last engine_logs_next. 0
 * or an error. */
int engine_logs_begin(struct engine_logs *logs, struct input *input,
		      const char *name, const char *worker, struct err *err);

/* The next record: 1, 0 at the end, or an error, after which it can go on if
 * engine_logs_can_continue says so. */
int engine_logs_next(struct engine_logs *logs, struct err *err);
bool engine_logs_can_continue(const struct engine_logs *logs);

/* Note when the requests of a sample were, by the dump. 0 or an error. */
int engine_logs_see(struct engine_logs *logs, const struct sample *sample,
		    struct err *err);

/* All samples were seen. 0 or an error. */
int engine_logs_settle(struct engine_logs *logs, struct err *err);

/* Join the records of a sample's requests to it. What is made lives until the
 * next call. 0 or an error. */
int engine_logs_join(struct engine_logs *logs, struct sample *sample,
		     struct err *err);

/* The logs, in the order in which they were read. */
size_t engine_logs_count(const struct engine_logs *logs);
const struct engine_log *engine_logs_get(const struct engine_logs *logs,
					 size_t i);

/* Records of all logs, and those that have joined no request. */
size_t engine_logs_records(const struct engine_logs *logs);
size_t engine_logs_unused(const struct engine_logs *logs);

#endif
