/*
 * Copies of one fact: series of the processes of one server that differ only
 * in who wrote them. Of several the one of the lowest pp_rank counts, then of
 * the lowest tp_rank, and so on; of one process started twice, that with the
 * highest pid.
 */
#ifndef OBS_METRICS_COPIES_H
#define OBS_METRICS_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "metrics/catalogue.h"

enum copy_label copy_label_of(struct str name);

/* The labels in which copies of such a metric differ. */
unsigned int copy_labels_of(enum metric_copies copies);

/* Who wrote a series. */
struct copy_rank {
	uint64_t order; /* the lower counts */
	uint64_t pid;	/* then the higher; 0: none */
	bool blurred;	/* it has labels that take no part in the order */
};

/* Take note of the value of such a label. */
void copy_rank_take(struct copy_rank *rank, enum copy_label label,
		    struct str value);

/* Below 0: a counts before b; 0: they are as good. */
int copy_rank_compare(const struct copy_rank *a, const struct copy_rank *b);

/* Can no other count before it? */
static inline bool copy_rank_is_first(const struct copy_rank *rank)
{
	return rank->order == 0 && rank->pid == 0;
}

#endif
