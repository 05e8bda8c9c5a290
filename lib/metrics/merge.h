/*
 * From lines to a snapshot: labels added, samples chosen, and handed to a
 * table that keeps them or to a reduction that does not. Lines of several
 * parts (files, workers) make one snapshot. A table may keep what was not
 * chosen, too, hidden from all but the next difference.
 */
#ifndef OBS_METRICS_MERGE_H
#define OBS_METRICS_MERGE_H

#include "fmt/prom/prom.h"
#include "metrics/asked.h"
#include "metrics/match.h"
#include "metrics/reduce.h"
#include "metrics/series.h"

struct merge {
	struct series_table *table; /* whose names are used */
	struct reduce *reduce;	    /* NULL: samples are kept in the table */
	const bool *rows; /* of the catalogue that are taken; NULL: all is */
	const struct matcher *matchers;
	size_t n_matchers;
	struct asked *asked; /* NULL: nothing is looked for */
	bool keeps_all;	     /* what is not chosen is kept, but hidden */
	const struct label_set *added; /* to each sample; NULL: none */
	struct label_set merged;
	struct arena scratch; /* of one line */
	struct buf decoded;
	uint64_t samples; /* taken in, duplicates too */
	uint64_t known;	  /* of these, of metrics that are taken */
};

struct merge merge_new(struct series_table *table, struct reduce *reduce);
void merge_free(struct merge *m);

/* Take one line of any kind. 0, or an error that is final. */
int merge_line(struct merge *m, const struct prom_line *line,
	       int64_t line_number, struct err *err);

#endif
