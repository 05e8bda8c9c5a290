/*
 * A sum nearly independent of the order of its terms: two doubles, the second
 * of which holds the rounding error of the first (Knuth's two-sum). They are
 * scaled down once the sum of finite terms is too large for a double.
 */
#ifndef OBS_BASE_SUM_H
#define OBS_BASE_SUM_H

#include <stdbool.h>

/* Zero-initialised, it is 0. */
struct sum {
	double high, low;
	bool scaled; /* both are to be multiplied by SUM_SCALE */
};

#define SUM_SCALE 0x1p64

void sum_add(struct sum *s, double v);
void sum_merge(struct sum *s, struct sum other);

/* The same sum, scaled only if it has to be. */
struct sum sum_settle(struct sum s);

/* Infinite if too large for a double. */
double sum_total(struct sum s);

/* The sum divided by n > 0, also if only the sum is too large for a double. */
double sum_mean(struct sum s, double n);

#endif
