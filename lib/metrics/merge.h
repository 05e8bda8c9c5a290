/*
 * From lines to a snapshot: adds labels, selects samples, and passes them to a
 * table that keeps them or to a reduction that does not. Lines of several parts
 * (files, workers) form one snapshot. A table may also keep unselected samples,
 * hidden from everything but the next difference.
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
	struct reduce *reduce;	    /* NULL: keep samples in the table */
	const bool *rows; /* wanted rows of the catalogue; NULL: all */
	const struct matcher *matchers;
	size_t n_matchers;
	struct asked *asked;	       /* NULL: check nothing */
	bool keeps_all;		       /* keep unselected samples, but hidden */
	const struct label_set *added; /* added to each sample; NULL: none */
	struct label_set merged;
	struct arena scratch; /* of one line */
	struct buf decoded;
	uint64_t samples; /* accepted, including duplicates */
	uint64_t known;	  /* of these, of wanted metrics */
};

struct merge merge_new(struct series_table *table, struct reduce *reduce);
void merge_free(struct merge *m);

/* Process one line of any kind. 0, or a fatal error. The table may be read after
 * merge_settle only. */
int merge_line(struct merge *m, const struct prom_line *line,
	       int64_t line_number, struct err *err);
int merge_settle(struct merge *m, struct err *err);

#endif
