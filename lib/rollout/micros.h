/* Times of a row as whole microseconds, what the page, the Chrome trace and sums
 * count in. */
#ifndef OBS_ROLLOUT_MICROS_H
#define OBS_ROLLOUT_MICROS_H

#include <math.h>
#include <stdint.h>

/* Unix seconds as µs. A time is rounded to 6 decimals already, so that within
 * 285 years of 1970 this is exact; what is out of range goes to its end, such
 * that differences still fit. A NaN is 0. */
static inline int64_t micros(double seconds)
{
	static const double most = 4e18;
	double us = seconds * 1e6;

	if (isnan(us))
		return 0;
	return (int64_t)llround(us > most ? most : us < -most ? -most : us);
}

#endif
