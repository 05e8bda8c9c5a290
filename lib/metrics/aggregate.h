/*
 * Snapshots in, answers out: obs-aggregate between reading lines and writing a
 * format.
 *
 *	aggregate_init(&a, &how, &report)
 *	per snapshot:
 *		per part: aggregate_begin_part, aggregate_line for each line
 *		aggregate_end
 *	aggregate_free(&a)
 *
 * Two tables alternate if differences are needed; otherwise, with a reduction,
 * neither keeps samples. A snapshot with nothing to compare does not become the
 * previous one. Memory does not grow with the length of a stream.
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

/* Receives alarms as they begin and end. */
struct aggregate_watch {
	struct alarms *alarms; /* NULL: no alarms, other answers */
	int (*report)(const struct alarm_event *event, struct err *err);
	/* Called after all output of a snapshot; may be NULL. */
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
	bool rate;  /* the same, per second */
	bool new_from_zero;
	bool remembers; /* a later run continues: print the first snapshot's
			 * gauges, and remember what is not selected, too */
};

struct aggregate {
	const struct aggregate_how *how;
	struct report *report;
	struct series_table tables[2];
	struct series_table *now;
	struct series_table *before; /* NULL: there is none yet */
	struct reduce reduce;	     /* uses the current names */
	struct asked asked;	     /* what the options name */
	struct naming naming;	     /* names in a state, which are rewritten */
	struct merge merge;
	uint64_t samples; /* sample lines in total */
	uint64_t late;	  /* snapshots no later than the last, for alarms */
	uint64_t judged;  /* the others */
	double watched;	  /* when the last of them was taken, Unix seconds */
	double interval;  /* between the last two; 0: unknown */
	double set_by;	  /* seconds the clock jumped since then */
	double unseen;	  /* seconds it jumped since the last one judged */
	bool timed;	  /* a judged snapshot had series, and so a time */
	bool primed;	  /* the previous snapshot is from a state */
	uint64_t known;	  /* of these, of wanted metrics */
};

/* how and report must outlive a, which must not move. */
void aggregate_init(struct aggregate *a, const struct aggregate_how *how,
		    struct report *report);
void aggregate_free(struct aggregate *a);

/* Does it need the previous snapshot? */
bool aggregate_differs(const struct aggregate_how *how);

/* The next lines come from source, with labels added (NULL: none). */
int aggregate_begin_part(struct aggregate *a, const char *source,
			 const struct label_set *added, struct err *err);

/* The part has been read to its end. 0 or ERR_MEMORY. */
int aggregate_end_part(struct aggregate *a, struct err *err);

int aggregate_line(struct aggregate *a, const struct prom_line *line,
		   int64_t line_number, struct err *err);

/* Drop the incomplete snapshot. */
void aggregate_drop(struct aggregate *a);

/* Will the current snapshot have an answer? The first one to be compared has
 * none, unless how->remembers. */
bool aggregate_answers(const struct aggregate *a);

/* The snapshot is complete and arrived at that time (Unix seconds). Its answer,
 * if any, goes to the sink. `closed`: one of a sequence of answers. */
int aggregate_end(struct aggregate *a, double arrived, bool closed,
		  struct metric_sink *sink, struct err *err);

/* The next lines are a state written by an earlier run, kept unchanged. */
int aggregate_begin_state(struct aggregate *a, const char *source,
			  struct err *err);

/* Report what the options name and no snapshot has had so far, each once.
 * Returns whether there is any. */
bool aggregate_report_missing(struct aggregate *a);

/* Make what was read the previous snapshot, without an answer. */
void aggregate_prime(struct aggregate *a, double arrived);

#endif
