/*
 * The records of engines' logs while they wait for the samples of the dump;
 * private to engine_*.c. engine_logs.c reads them, engine_clock.c tells how
 * the clocks differ, engine_join.c puts them into samples.
 */
#ifndef OBS_ROLLOUT_ENGINE_PARTS_H
#define OBS_ROLLOUT_ENGINE_PARTS_H

#include "base/array.h"
#include "base/intern.h"
#include "rollout/engine_logs.h"
#include "rollout/sample_trace.h"

enum { RECORD_NONE = -1 };

/* How far a record may lie outside of its span, in seconds. */
#define CLOCK_SLACK 0.05

/* Records of one id that are looked at, so that the time does not grow with
 * their square. */
enum { SAME_ID_MAX = 1024 };

/* What an engine did with a request. */
enum engine_part { PART_QUEUE, PART_PREFILL, PART_DECODE, PARTS };

/* The side of a request that was disaggregated, as far as the record alone
 * tells: the other one's record decides. */
enum engine_side { SIDE_WHOLE, SIDE_PREFILL, SIDE_DECODE };

struct part_times {
	double start, end; /* NAN: not known */
};

struct engine_record {
	uint32_t log;
	uint32_t id;
	uint32_t ordinal; /* among those of its id in its log */
	int32_t next;	  /* of its id; RECORD_NONE: the last */
	enum engine_side side;
	bool used;
	double start, end;	/* NAN: not known */
	struct part_times seen; /* of the span that it is compared with */
	struct part_times parts[PARTS];
	struct value attrs; /* a dict: what a span may lack */
	struct value sides; /* a dict: durations of a disaggregated one */
};

/* The records of one id. */
struct engine_id {
	int32_t first, last;
	uint32_t seen;	 /* spans of it in the dump */
	uint32_t log;	 /* of the last one */
	uint32_t in_log; /* of them in that log */
};

struct engine_logs {
	struct engine_log *logs;
	size_t log_count, log_cap;
	struct engine_record *records;
	size_t count, cap;
	struct intern texts; /* ids */
	struct engine_id *ids;
	size_t id_cap;
	struct arena kept; /* attributes of the records */
	struct arena made; /* of one sample */
	struct buf text;
	struct foreign *reader; /* of the log that is read */
};

/* The records of the request whose attributes these are; NULL: there are
 * none. */
struct engine_id *engine_id_of(struct engine_logs *logs, struct value attrs,
			       bool marked);

/* The requests of a sample's trace, with when they began and ended. */
struct engine_request {
	const struct event *end;
	double start; /* NAN: not known */
	bool parent;  /* there are spans below it */
	struct engine_id *id;
};

/* Those that have records, into the arena. 0 or an error. */
int engine_requests(struct engine_logs *logs, const struct sample_trace *trace,
		    struct engine_request **requests, size_t *count,
		    struct err *err);

/* Does the record lie within a span, once its log's offset is taken off? */
bool engine_lies_within(const struct engine_record *record, double offset,
			struct part_times span);

#endif
