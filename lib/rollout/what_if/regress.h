/*
 * Quantile regression with few columns and coefficients of at least 0.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_REGRESS_H
#define OBS_ROLLOUT_WHAT_IF_REGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* The first column is 1. */
enum { REGRESS_COLUMNS = 4 };

/* n rows of explanatory variables, each with a weight of 0 or more. */
struct regression {
	size_t n;
	const double *y;
	const double *columns[REGRESS_COLUMNS - 1]; /* NULL: omit it */
	const double *weights;
	double *scratch; /* of 2 n numbers */
};

/*
 * The coefficients at a quantile from 0 to 1. More columns are used only if
 * each addition lowers the loss by 10%. False: there is no solution with a
 * first coefficient above 0.
 */
bool regress_quantile(const struct regression *r, double quantile,
		      double coefficients[REGRESS_COLUMNS]);

#endif
