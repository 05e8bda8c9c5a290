/*
 * The leading 128 bits of the powers of ten, rounded down: 10^q is
 * (high * 2^64 + low) * 2^s for some s, with the top bit of high set. Used only
 * by num.c, to read and print doubles.
 */
#ifndef OBS_BASE_POW10_H
#define OBS_BASE_POW10_H

#include <stdint.h>

enum { POW10_LOW = -342, POW10_HIGH = 324 };

struct pow10 {
	uint64_t high;
	uint64_t low;
};

extern const struct pow10 pow10_table[POW10_HIGH - POW10_LOW + 1];

#endif
