/*
 * Decimal digits as a number, many at a time.
 */
#ifndef OBS_BASE_DIGITS_H
#define OBS_BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Eight digits at p, the first of which is the lowest byte of word, as a number
 * (Lemire, "Quickly parsing eight digits", 2018). False when they are none. */
static inline bool digits_eight(const char *p, uint64_t *number)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t ones = 0x0101010101010101u;
	uint64_t word;

	memcpy(&word, p, 8);
	if (((word & ones * 0xf0) | ((word + ones * 6) & ones * 0xf0) >> 4) !=
	    ones * 0x33)
		return false;
	word -= ones * '0';
	word = word * 10 + (word >> 8);
	*number = ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
		   (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
		  32;
	return true;
#else
	(void)p, (void)number;
	return false;
#endif
}

/* Digits, behind those that are in *number; of too many it is nonsense. */
static inline const char *digits_take(const char *p, const char *end,
				      uint64_t *number)
{
	uint64_t eight;

	for (; end - p >= 8 && digits_eight(p, &eight); p += 8)
		*number = *number * 100000000 + eight;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		*number = *number * 10 + (uint64_t)(*p - '0');
	return p;
}

#endif
