/*
 * The records of engines' logs, kept for the samples of the dump; private to
 * engine_*.c. engine_logs.c reads them, engine_clock.c finds the clock offsets,
 * engine_join.c adds them to samples.
 */
#ifndef OBS_ROLLOUT_ENGINE_PARTS_H
#define OBS_ROLLOUT_ENGINE_PARTS_H

#include "base/array.h"
#include "base/intern.h"
#include "rollout/engine_logs.h"
#include "rollout/sample_trace.h"

enum { RECORD_NONE = -1 };

/* How far a record may be outside of its span, in seconds. */
#define CLOCK_SLACK 0.05

/* Records per id that are examined, to avoid quadratic time. */
enum { SAME_ID_MAX = 1024 };

/* An engine's record of a request. */
enum engine_part { PART_QUEUE, PART_PREFILL, PART_DECODE, PARTS };

/* The side of a disaggregated request, if this record shows it; if not, the
 * other record decides. */
enum engine_side { SIDE_WHOLE, SIDE_PREFILL, SIDE_DECODE };

struct part_times {
	double start, end; /* NAN: unknown */
};

struct engine_record {
	uint32_t log;
	uint32_t id;
	uint32_t ordinal; /* index among those of its id in its log */
	int32_t next;	  /* of its id; RECORD_NONE: the last */
	enum engine_side side;
	bool used;
	double start, end;	/* NAN: unknown */
	struct part_times seen; /* of the span it is compared with */
	struct part_times parts[PARTS];
	struct value attrs; /* a dict: attributes to add to a span */
	struct value sides; /* a dict: durations of a disaggregated one */
};

/* The records of one id. */
struct engine_id {
	int32_t first, last;
	uint32_t seen;	 /* spans with it in the dump */
	uint32_t log;	 /* log of the last one */
	uint32_t in_log; /* their number in that log */
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
	struct foreign *reader; /* the current log */
};

/* The records of the request with these attributes; NULL if there are none. */
struct engine_id *engine_id_of(struct engine_logs *logs, struct value attrs,
			       bool marked);

/* The requests of a sample's trace, with their times. */
struct engine_request {
	const struct event *end;
	double start; /* NAN: unknown */
	bool parent;  /* it has child spans */
	struct engine_id *id;
};

/* Those that have records, in the arena. 0 or an error. */
int engine_requests(struct engine_logs *logs, const struct sample_trace *trace,
		    struct engine_request **requests, size_t *count,
		    struct err *err);

/* Is the record within the span, after subtracting its log's offset? */
bool engine_lies_within(const struct engine_record *record, double offset,
			struct part_times span);

#endif
