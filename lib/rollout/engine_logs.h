/*
 * Request logs of the engines that served a dump's rollout: the data on each
 * request is added to the dump's span of it.
 *
 *	engine_logs_begin, engine_logs_next ...	each log is read
 *	engine_logs_see				each sample, in a first reading
 *	engine_logs_settle			how the clocks differ
 *	engine_logs_join			each sample, in the second one
 *
 * A record of SGLang's request log, or a generation span of OTLP, belongs to
 * the request of the dump whose end attribute sglang_request_id (or rid,
 * gen_ai.request.id) equals its id. Of several records with one id, the one
 * that overlaps the span most is used, else the last; the two sides of a
 * disaggregated request, which are two records, are both used.
 *
 * Existing attributes stay. Missing ones are added: queue_time, e2e_latency,
 * decode_throughput, the numbers of tokens, weight_version, and the log's
 * worker as worker_addr; a span without children gets spans of its queue,
 * prefill and decode. These use the engine's clock: if records are outside of
 * their spans by a common offset, it is subtracted.
 */
#ifndef OBS_ROLLOUT_ENGINE_LOGS_H
#define OBS_ROLLOUT_ENGINE_LOGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "fmt/input.h"
#include "rollout/foreign/losses.h"
#include "rollout/sample.h"

struct engine_logs;

/* A log that has been read. */
struct engine_log {
	const char *name;   /* for messages; borrowed */
	const char *worker; /* borrowed; NULL: unknown */
	double offset;	    /* of its clock, s: how far it is ahead */
	bool unsure;	    /* it is outside, but by no common offset */
	size_t first;	    /* of its records; private */
	size_t records;
	size_t outside; /* requests without added spans because their records
			 * are outside */
};

/* Is it a log whose records have request ids? */
bool engine_logs_detect(struct str head);

/* NULL if out of memory. */
struct engine_logs *engine_logs_new(void);
void engine_logs_free(struct engine_logs *logs);

/* Start reading a log. The input is borrowed until the last engine_logs_next. 0
 * or an error. */
int engine_logs_begin(struct engine_logs *logs, struct input *input,
		      const char *name, const char *worker, struct err *err);

/* The next record: 1, 0 at the end, or an error; engine_logs_can_continue says
 * whether reading can go on after it. */
int engine_logs_next(struct engine_logs *logs, struct err *err);
bool engine_logs_can_continue(const struct engine_logs *logs);

/* What was left out of the log that was read last. */
struct losses engine_logs_losses(const struct engine_logs *logs);

/* Record the times of a sample's requests in the dump. 0 or an error. */
int engine_logs_see(struct engine_logs *logs, const struct sample *sample,
		    struct err *err);

/* All samples have been seen. 0 or an error. */
int engine_logs_settle(struct engine_logs *logs, struct err *err);

/* Add the records of a sample's requests to it. The result is valid until the
 * next call. 0 or an error. */
int engine_logs_join(struct engine_logs *logs, struct sample *sample,
		     struct err *err);

/* The logs, in the order they were read. */
size_t engine_logs_count(const struct engine_logs *logs);
const struct engine_log *engine_logs_get(const struct engine_logs *logs,
					 size_t i);

/* Records of all logs, and those not used by any request. */
size_t engine_logs_records(const struct engine_logs *logs);
size_t engine_logs_unused(const struct engine_logs *logs);

#endif
