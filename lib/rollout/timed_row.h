/*
 * The spans of one row as needed for sums: only numbers, no attributes. A row
 * is read once into this form, kept packed until all rows of its sample group
 * are known (rollout/row_store.h), and unpacked again.
 *
 * Spans with finite times are included, closed or open; virtual lanes are not.
 * Times are microseconds (rollout/micros.h). Spans are in the order of the
 * row's items, so the last open one owns an instant.
 */
#ifndef OBS_ROLLOUT_TIMED_ROW_H
#define OBS_ROLLOUT_TIMED_ROW_H

#include "rollout/activity.h"
#include "rollout/span.h"

struct timed_span {
	int64_t start, end; /* for an open one: where it is cut */
	int64_t queued;	    /* at its start, see item_queued; 0 with children */
	int64_t attempt;
	uint32_t name;	 /* number in span_names */
	bool open;	 /* its end was not recorded */
	bool is_request; /* a generation span, by its name or its mark */
	bool is_group;	 /* named generate_and_rm_group */
	bool is_shared;	 /* set by rollout/waits.h */
};

/* A span named generate_and_rm, with the start of its earliest child. */
struct timed_call {
	int64_t start;
	int64_t child; /* INT64_MAX: it has none */
	int64_t attempt;
};

struct timed_row {
	int64_t start, end; /* of all items, points included */
	struct timed_span *spans;
	struct timed_call *calls;
	size_t count, call_count;

	size_t span_cap, call_cap, child_cap, parent_cap;
	int64_t *children; /* by item: the earliest start of a child */
	uint8_t *parents;  /* by item: has child spans */
};

void timed_row_free(struct timed_row *timed);

/* The row was used: free what a large one took, keep it for others. */
void timed_row_release(struct timed_row *timed);

/* Room for spans and calls; 0 or ERR_MEMORY. */
int timed_row_room(struct timed_row *timed, size_t spans, size_t calls,
		   struct err *err);

/* Read a row. Returns 1; 0 for a row without a time (no item has one, or the
 * last ends before the first starts); or an error. */
int timed_row_read(struct timed_row *timed, const struct row *row,
		   struct span_names *names, struct err *err);

/* Is the item a span that counts: not on a virtual lane, with finite times? */
bool item_is_timed_span(const struct item *item);

/* The larger of 0 and its shown duration. */
int64_t timed_span_duration(const struct timed_span *span);

#endif
