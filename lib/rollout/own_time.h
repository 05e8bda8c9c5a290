/*
 * The own time of one row, as defined in rollout/waits.h, from its spans, whose
 * is_shared has been set.
 */
#ifndef OBS_ROLLOUT_OWN_TIME_H
#define OBS_ROLLOUT_OWN_TIME_H

#include "rollout/timed_row.h"

/* A piece of a row's time, until the next piece or the end of the row. */
struct phase {
	int64_t from;
	/* What the sample waited for: ACTIVITY_CLIENT_QUEUE, _GROUP_WAIT, or
	 * _REWARD after its own end. ACTIVITIES: nothing, spans decide. */
	enum activity wait;
	bool working; /* inside a run */
};

struct own_time {
	int64_t start, end; /* of all runs; both the row's start if there is
			     * none */
	int64_t duration;   /* time within runs */
	int64_t earlier;    /* time within runs before the last one */
	int64_t group_wait, client_queue;
	bool open; /* the end is that of an open span */
	const struct phase *phases;
	size_t phase_count;
};

/* One attempt of the row. */
struct run {
	int64_t attempt;
	int64_t first, last; /* of all its spans */
	size_t spans;
	int64_t start, end;		/* own; end INT64_MIN: it has no work */
	int64_t spare_start, spare_end; /* over shared spans: see Work */
	int64_t call;	 /* earliest start of work by its calls */
	int64_t barrier; /* its end; INT64_MIN: none */
	const struct timed_span *around; /* its barrier or else the longest
					  * shared span; NULL: none */
	bool open;			 /* end is an open span's */
};

struct own_finder {
	const struct span_names *names;
	struct run *runs; /* by attempt */
	size_t run_count, run_cap;
	struct mark *marks;
	size_t mark_count, mark_cap;
	struct phase *phases;
	struct phase_sum *sums; /* by phase */
	size_t phase_count, phase_cap, sum_cap;
};

void own_finder_free(struct own_finder *finder);

/* Find the own time of a row. alone: it is the only sample of its group. counts
 * says for each call whether it measures the client's queue. Pointers in own
 * are valid until the next call. Returns 0 or ERR_MEMORY. */
int own_time_find(struct own_finder *finder, const struct timed_row *timed,
		  bool alone, const bool *counts, struct own_time *own,
		  struct err *err);

/* For the current row: its group wait between two times, and when it last
 * worked before a time (INT64_MIN: never). */
int64_t own_waited(const struct own_finder *finder, int64_t from, int64_t to);
int64_t own_worked_until(const struct own_finder *finder, int64_t moment);

#endif
