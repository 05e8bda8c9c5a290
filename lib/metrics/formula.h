/*
 * Evaluates the rows of lib/metrics/steps.tsv: for a fleet, or one of its
 * workers.
 */
#ifndef OBS_METRICS_FORMULA_H
#define OBS_METRICS_FORMULA_H

#include "metrics/quantile.h"
#include "metrics/step_table.h"

struct formula {
	const struct survey *before; /* NULL: gauges only */
	const struct survey *now;
	double seconds; /* divisor of rates; NaN: unknown */
	double peak;	/* peak work of a GPU, for MFU; 0: unknown */
	bool any_side;	/* both sides of a prefill/decode pair count */
	/* of the current row: */
	const struct step_row *row;
	struct term_items of;
	struct term_items by;
};

struct formula formula_new(const struct survey *before,
			   const struct survey *now);
void formula_free(struct formula *f);

/* Read the terms of a row, with `number` for "#". Returns 1; 0 if the row needs
 * a previous snapshot or its inputs are missing; an error. */
int formula_read(struct formula *f, const struct step_row *row, uint32_t number,
		 struct err *err);

/* The workers of the row's series, in order of appearance. */
struct formula_workers {
	uint64_t *v;
	size_t n;
	size_t cap;
	size_t *of_at; /* from formula_split: where each one's items begin; */
	size_t *by_at; /* the last is the end of all */
};

void formula_workers_free(struct formula_workers *w);

int formula_workers(const struct formula *f, struct formula_workers *w,
		    struct err *err);

/* Sort the items by worker, making each worker's contiguous. 0 or an error. */
int formula_split(struct formula *f, struct formula_workers *w,
		  struct err *err);

/* The part for one worker; it borrows from f, which must be split. */
struct formula formula_part(const struct formula *f,
			    const struct formula_workers *w, size_t i);

/* The settled buckets of a STEP_QUANTILE row, of one worker or (NULL) of all;
 * free them in any case. 0 or an error. */
int formula_buckets(const struct formula *f, const uint64_t *worker,
		    struct buckets *b, struct err *err);

/* The value of the current row, for one worker or (NULL) for all. Returns 1; 0
 * if there is none; an error. */
int formula_value(const struct formula *f, const uint64_t *worker,
		  double *value, struct err *err);

#endif
