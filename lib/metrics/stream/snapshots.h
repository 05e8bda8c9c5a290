/*
 * Builds snapshots from histories of series: which samples belong together.
 *
 * In histories each series has its own sample times. Time is divided into cells
 * of the fleet's usual interval, with boundaries where the fewest series have
 * samples. A snapshot has the last sample of each series in its cell; one that
 * is not due there, or late by less than a quarter of its own interval, keeps
 * its previous sample. Empty cells give no snapshot.
 */
#ifndef OBS_METRICS_STREAM_SNAPSHOTS_H
#define OBS_METRICS_STREAM_SNAPSHOTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/map.h"
#include "fmt/prom/prom.h"
#include "metrics/stream/points.h"

struct history_series; /* private */

enum { GAP_CLASSES = 2048 };

struct snapshots {
	struct arena text; /* names and labels of the series */
	struct map by_hash;
	struct history_series *series;
	size_t n;
	size_t cap;
	struct points points;
	/* Gaps between the samples of a series: logarithmic classes. */
	uint64_t gaps[GAP_CLASSES];
	double gap_sums[GAP_CLASSES];
	uint64_t number; /* last argument of snapshots_add, and its series */
	size_t current;

	bool latest;	      /* return only the last snapshot */
	bool sorted;	      /* all samples were added */
	bool giving;	      /* current snapshot, from series `next` on */
	double interval;      /* milliseconds; 0: unknown, all one cell */
	double edge;	      /* where one of the cells begins */
	double cell;	      /* its number */
	struct point waiting; /* in the next cell */
	bool waits;
	size_t next;
};

struct snapshots snapshots_new(bool latest);
void snapshots_free(struct snapshots *s);

/* Add a sample; number is the same as long as the line's name and labels are. 0
 * or an error. */
int snapshots_add(struct snapshots *s, const struct prom_line *line,
		  uint64_t number, struct err *err);

/* The next sample of a snapshot, or its end (PROM_EOF): 1; 0 at the end of
 * all; or an error. */
int snapshots_next(struct snapshots *s, struct prom_line *line,
		   struct err *err);

#endif
