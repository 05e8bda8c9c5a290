/*
 * Copies of one value: series from the processes of one server that differ only
 * in their writer. The one with the lowest pp_rank counts, then the lowest
 * tp_rank, and so on; for a process started twice, the highest pid.
 */
#ifndef OBS_METRICS_COPIES_H
#define OBS_METRICS_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "metrics/catalogue.h"

enum copy_label copy_label_of(struct str name);

/* The labels in which copies of a metric differ. */
unsigned int copy_labels_of(enum metric_copies copies);

/* The writer of a series. */
struct copy_rank {
	uint64_t order; /* the lower wins */
	uint64_t pid;	/* then the higher; 0: none */
	bool blurred;	/* it has labels outside the order */
};

/* Record the value of such a label. */
void copy_rank_take(struct copy_rank *rank, enum copy_label label,
		    struct str value);

/* Below 0: a wins over b; 0: they are equal. */
int copy_rank_compare(const struct copy_rank *a, const struct copy_rank *b);

/* Can no other win over it? */
static inline bool copy_rank_is_first(const struct copy_rank *rank)
{
	return rank->order == 0 && rank->pid == 0;
}

#endif
