/*
 * Values by the rows of lib/metrics/steps.tsv: of a whole fleet, or of one of
 * its workers.
 */
#ifndef OBS_METRICS_FORMULA_H
#define OBS_METRICS_FORMULA_H

#include "metrics/quantile.h"
#include "metrics/step_table.h"

struct formula {
	const struct survey *before; /* NULL: gauges only */
	const struct survey *now;
	double seconds; /* that rates are divided by; NaN: unknown */
	double peak;	/* work of a GPU, for MFU; 0: unknown */
	bool any_side;	/* both sides of a prefill/decode pair count */
	/* of the row that was read: */
	const struct step_row *row;
	struct term_items of;
	struct term_items by;
};

struct formula formula_new(const struct survey *before,
			   const struct survey *now);
void formula_free(struct formula *f);

/* Read the terms of a row, `number` in place of "#". Returns 1; 0 when the row
 * needs a snapshot before, or what it is made of is not there; an error. */
int formula_read(struct formula *f, const struct step_row *row, uint32_t number,
		 struct err *err);

/* The workers that the row's series are of, in the order in which they came. */
struct formula_workers {
	uint64_t *v;
	size_t n;
	size_t cap;
	size_t *of_at; /* of formula_split: where the items of each begin; */
	size_t *by_at; /* the last is where those of all end */
};

void formula_workers_free(struct formula_workers *w);

int formula_workers(const struct formula *f, struct formula_workers *w,
		    struct err *err);

/* Put the items in the order of the workers, so that those of each stand
 * together. 0 or an error. */
int formula_split(struct formula *f, struct formula_workers *w,
		  struct err *err);

/* What there is of one of the workers; it borrows from f, which was split. */
struct formula formula_part(const struct formula *f,
			    const struct formula_workers *w, size_t i);

/* The buckets of a row of STEP_QUANTILE that was read, settled, of one worker or
 * (NULL) of all; free them in any case. 0 or an error. */
int formula_buckets(const struct formula *f, const uint64_t *worker,
		    struct buckets *b, struct err *err);

/* The value of the row that was read, of one worker or (NULL) of all. Returns
 * 1; 0 when there is none; an error. */
int formula_value(const struct formula *f, const uint64_t *worker,
		  double *value, struct err *err);

#endif
