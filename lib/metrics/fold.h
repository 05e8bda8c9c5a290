/* Accumulates the values of one group, for any kind of reduction. */
#ifndef OBS_METRICS_FOLD_H
#define OBS_METRICS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/prom/prom.h"
#include "metrics/catalogue.h"

struct fold {
	double sum;
	double scaled; /* the sum scaled by 2^-64, which cannot overflow */
	double min;
	double max;
	double last;	    /* of the newest timestamp, else the last read */
	long double newest; /* NaN: none yet */
	long double time;   /* of the first; NaN: none */
	uint64_t n;	    /* values that are not NaN */
	uint64_t nans;
	bool stamped; /* some have a timestamp */
	bool mixed;   /* timestamps differ */
};

static inline bool fold_is_empty(const struct fold *f)
{
	return f->n + f->nans == 0;
}

/* Add a sample, of which value and time are used. */
void fold_add(struct fold *f, const struct prom_line *line);

/* Add everything of another. */
void fold_merge(struct fold *f, const struct fold *other);

/*
 * The result. `propagate`: a NaN makes a sum or mean NaN. Returns whether there
 * is one: never for OP_NONE, nor for OP_SAME if values differ.
 */
bool fold_value(const struct fold *f, enum reduce_op op, bool propagate,
		double *value);

/* The timestamp, if all agree; else NaN. */
long double fold_time(const struct fold *f);

#endif
