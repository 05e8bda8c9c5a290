/* Times of a row as whole microseconds, the unit of the page, the Chrome trace
 * and sums. */
#ifndef OBS_ROLLOUT_MICROS_H
#define OBS_ROLLOUT_MICROS_H

#include <math.h>
#include <stdint.h>

/* Unix seconds as µs. Times are already rounded to 6 decimals, so within 285
 * years of 1970 this is exact; values out of range are clamped such that
 * differences still fit. NaN becomes 0. */
static inline int64_t micros(double seconds)
{
	static const double most = 4e18;
	double us = seconds * 1e6;

	if (isnan(us))
		return 0;
	return (int64_t)llround(us > most ? most : us < -most ? -most : us);
}

#endif
