#include "rollout/what_if/regress.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/stats.h"

enum { ROUNDS = 20 };

/* Adding columns must lower the loss to this fraction. */
static const double worth = 0.9;

/* A residual is at least this fraction of the median y. */
static const double least_part = 1e-4;

/* Rounds end when no coefficient changes by more, relative to the first. */
static const double settled = 1e-9;

/* The columns of a subset, each divided by its scale. */
struct subset {
	size_t n;
	size_t columns[REGRESS_COLUMNS];
	double scales[REGRESS_COLUMNS];
};

static double cell(const struct regression *r, size_t column, size_t row)
{
	return column == 0 ? 1 : r->columns[column - 1][row];
}

static double predict(const struct regression *r, const struct subset *s,
		      const double *x, size_t row)
{
	double sum = x[0];

	for (size_t i = 1; i < s->n; i++)
		sum += x[i] * r->columns[s->columns[i] - 1][row];
	return sum;
}

/* Solve a x = v by Cholesky. False: a is singular. */
static bool solve(size_t n, double a[REGRESS_COLUMNS][REGRESS_COLUMNS],
		  double *v)
{
	double diagonal[REGRESS_COLUMNS];

	for (size_t i = 0; i < n; i++)
		diagonal[i] = a[i][i];
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k <= i; k++) {
			double sum = a[i][k];

			for (size_t m = 0; m < k; m++)
				sum -= a[i][m] * a[k][m];
			if (k < i)
				a[i][k] = sum / a[k][k];
			else if (!(sum > 1e-12 * diagonal[i]))
				return false;
			else
				a[i][i] = sqrt(sum);
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			v[i] -= a[i][k] * v[k];
		v[i] /= a[i][i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			v[i] -= a[k][i] * v[k];
		v[i] /= a[i][i];
	}
	return true;
}

/* Least squares of a subset with these weights. */
static bool least_squares(const struct regression *r, const struct subset *s,
			  const double *weights, double *x)
{
	double a[REGRESS_COLUMNS][REGRESS_COLUMNS] = {{0}};
	double v[REGRESS_COLUMNS] = {0};

	for (size_t row = 0; row < r->n; row++) {
		double cells[REGRESS_COLUMNS];
		double w = weights[row];

		for (size_t i = 0; i < s->n; i++) {
			cells[i] = cell(r, s->columns[i], row) / s->scales[i];
			v[i] += w * cells[i] * r->y[row];
			for (size_t k = 0; k <= i; k++)
				a[i][k] += w * cells[i] * cells[k];
		}
	}
	if (!solve(s->n, a, v))
		return false;
	for (size_t i = 0; i < s->n; i++)
		x[i] = v[i] / s->scales[i];
	return true;
}

static bool has_settled(const struct subset *s, const double *x,
			const double *before)
{
	double change = 0;

	for (size_t i = 0; i < s->n; i++)
		change = fmax(change, fabs(x[i] - before[i]) * s->scales[i]);
	return change <= settled * fabs(x[0]);
}

/* The coefficients of a subset, and their loss. False if there are none of the
 * required kind. */
static bool fit(const struct regression *r, const struct subset *s,
		double quantile, double least, double *x, double *loss)
{
	double *weights = r->scratch;
	double before[REGRESS_COLUMNS];

	if (!least_squares(r, s, r->weights, x))
		return false;
	for (int round = 1; round < ROUNDS; round++) {
		memcpy(before, x, sizeof(before));
		for (size_t i = 0; i < r->n; i++) {
			double rest = r->y[i] - predict(r, s, x, i);

			weights[i] = r->weights[i] *
				     (rest > 0 ? quantile : 1 - quantile) /
				     fmax(fabs(rest), least);
		}
		if (!least_squares(r, s, weights, x))
			return false;
		if (has_settled(s, x, before))
			break;
	}
	*loss = 0;
	for (size_t i = 0; i < r->n; i++) {
		double rest = r->y[i] - predict(r, s, x, i);

		*loss += r->weights[i] * fabs(rest) *
			 (rest > 0 ? quantile : 1 - quantile);
	}
	for (size_t i = 1; i < s->n; i++)
		if (!(x[i] >= 0))
			return false;
	return x[0] > 0 && isfinite(x[0]);
}

/* A column's scale: its mean. 0 if it carries no information. */
static double scale_of(const struct regression *r, size_t column)
{
	double sum = 0, weight = 0;

	if (column == 0)
		return 1;
	if (r->columns[column - 1] == NULL)
		return 0;
	for (size_t i = 0; i < r->n; i++) {
		sum += r->weights[i] * fabs(r->columns[column - 1][i]);
		weight += r->weights[i];
	}
	return weight > 0 ? sum / weight : 0;
}

/* The subset of the columns in mask; false if one carries no information. */
static bool choose(struct subset *s, unsigned mask, const double *scales)
{
	s->n = 0;
	for (size_t i = 0; i < REGRESS_COLUMNS; i++) {
		if ((mask >> i & 1) == 0)
			continue;
		if (!(scales[i] > 0))
			return false;
		s->scales[s->n] = scales[i];
		s->columns[s->n++] = i;
	}
	return true;
}

static double least_residual(const struct regression *r)
{
	struct stats y = {r->scratch + r->n, r->n, r->n};

	memcpy(y.v, r->y, r->n * sizeof(*r->y));
	stats_sort(&y);
	return fmax(least_part * stats_median(&y), 1e-15);
}

bool regress_quantile(const struct regression *r, double quantile,
		      double coefficients[REGRESS_COLUMNS])
{
	/* By size; all include the first column. */
	static const unsigned masks[] = {1, 3, 5, 9, 7, 11, 13, 15};
	double scales[REGRESS_COLUMNS], best = INFINITY, least;
	bool found = false;

	if (r->n == 0)
		return false;
	least = least_residual(r);
	for (size_t i = 0; i < REGRESS_COLUMNS; i++)
		scales[i] = scale_of(r, i);
	for (size_t m = 0; m < ARRAY_SIZE(masks); m++) {
		double x[REGRESS_COLUMNS], loss;
		struct subset s;

		if (!choose(&s, masks[m], scales) ||
		    !fit(r, &s, quantile, least, x, &loss) ||
		    (found && !(loss < worth * best)))
			continue;
		found = true;
		best = loss;
		memset(coefficients, 0,
		       REGRESS_COLUMNS * sizeof(*coefficients));
		for (size_t i = 0; i < s.n; i++)
			coefficients[s.columns[i]] = x[i];
	}
	return found;
}
