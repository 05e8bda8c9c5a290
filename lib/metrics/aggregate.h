/*
 * Snapshots in, answers out: what obs-aggregate does between reading lines
 * and writing a format.
 *
 *	aggregate_init(&a, &how, &report)
 *	per snapshot:
 *		per part: aggregate_begin_part, aggregate_line for each line
 *		aggregate_end
 *	aggregate_free(&a)
 *
 * Two tables take turns where differences are asked for; without them, and
 * with a reduction, none keeps samples. A snapshot without anything to
 * difference does not become the one before. Nothing grows with the length of
 * a stream.
 */
#ifndef OBS_METRICS_AGGREGATE_H
#define OBS_METRICS_AGGREGATE_H

#include "metrics/delta.h"
#include "metrics/merge.h"
#include "metrics/reduce.h"
#include "metrics/step.h"

struct alarms;
struct alarm_event;
struct vitals;

/* Who learns of alarms that begin and end. */
struct aggregate_watch {
	struct alarms *alarms; /* NULL: no alarms, other answers */
	int (*report)(const struct alarm_event *event, struct err *err);
	/* After all that a snapshot came to; NULL: nobody looks at it. */
	int (*judged)(const struct vitals *vitals,
		      const struct alarm_event *events, size_t n,
		      struct err *err);
};

struct aggregate_how {
	struct naming naming;
	struct reduce_how reduction;
	const struct matcher *matchers;
	size_t n_matchers;
	struct step_plan step;
	struct aggregate_watch watch;
	bool reduce;
	bool pad;
	bool delta; /* increases between snapshots */
	bool rate;  /* the same, by second */
	bool new_from_zero;
	bool remembers; /* a later run goes on: the first snapshot's gauges go
			 * out, and what is not chosen is remembered, too */
};

struct aggregate {
	const struct aggregate_how *how;
	struct report *report;
	struct series_table tables[2];
	struct series_table *now;
	struct series_table *before; /* NULL: there is none yet */
	struct reduce reduce;	     /* on the names of now */
	struct asked asked;	     /* what the options name */
	struct naming naming; /* of a state's names, which are rewritten */
	struct merge merge;
	uint64_t samples; /* lines that were samples, in all */
	uint64_t late; /* snapshots no later than the one before, for alarms */
	uint64_t judged; /* the others */
	double watched;	 /* when the last of them was taken, Unix seconds */
	double interval; /* between the last two; 0: unknown */
	bool primed;	 /* the snapshot before is a state's */
	uint64_t known;	 /* of these, of metrics that were wanted */
};

/* how and report outlive a, which stays where it is. */
void aggregate_init(struct aggregate *a, const struct aggregate_how *how,
		    struct report *report);
void aggregate_free(struct aggregate *a);

/* Does it need the snapshot before? */
bool aggregate_differs(const struct aggregate_how *how);

/* What follows comes from source, with labels added (NULL: none). */
int aggregate_begin_part(struct aggregate *a, const char *source,
			 const struct label_set *added, struct err *err);

/* The part is read to its end. */
void aggregate_end_part(struct aggregate *a);

int aggregate_line(struct aggregate *a, const struct prom_line *line,
		   int64_t line_number, struct err *err);

/* Forget what was read of the snapshot: it does not go on. */
void aggregate_drop(struct aggregate *a);

/* Will the snapshot being read have an answer? The first of those to be
 * differenced has none, unless how->remembers. */
bool aggregate_answers(const struct aggregate *a);

/* The snapshot is whole; it arrived at that time (Unix seconds). Its answer, if
 * any, goes to the sink. `closed`: one of a sequence of answers. */
int aggregate_end(struct aggregate *a, double arrived, bool closed,
		  struct metric_sink *sink, struct err *err);

/* What follows is a state, written by an earlier run: it is taken as it is. */
int aggregate_begin_state(struct aggregate *a, const char *source,
			  struct err *err);

/* Report what the options name and no snapshot so far has, each once. Returns
 * whether there is any. */
bool aggregate_tell_missing(struct aggregate *a);

/* Make what was read so far the snapshot before, without an answer. */
void aggregate_prime(struct aggregate *a, double arrived);

#endif
