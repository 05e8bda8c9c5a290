/*
 * Decimal digits, and the number they make, many at a time.
 */
#ifndef OBS_BASE_DIGITS_H
#define OBS_BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* In any locale. */
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits among the eight bytes at p, up to the first other byte, as a number
 * (Lemire, "Quickly parsing eight digits", 2018). Returns how many they are. */
static inline int digits_up_to_eight(const char *p, uint64_t *number)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t ones = 0x0101010101010101u;
	uint64_t word, others;
	int n;

	memcpy(&word, p, 8);
	others = ((word & ones * 0xf0) |
		  ((word + ones * 6) & ones * 0xf0) >> 4) ^
		 ones * 0x33;
	n = others == 0 ? 8 : __builtin_ctzll(others) / 8;
	*number = 0;
	if (n == 0)
		return 0;
	/* Zeros before them: the first digits are the lowest bytes. */
	word = (word - ones * '0') << (64 - 8 * n);
	word = word * 10 + (word >> 8);
	*number = ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
		   (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
		  32;
	return n;
#else
	int n = 0;

	for (*number = 0; n < 8 && is_digit(p[n]); n++)
		*number = *number * 10 + (uint64_t)(p[n] - '0');
	return n;
#endif
}

/* Digits, behind those that are in *number; of too many it is nonsense. */
static inline const char *digits_take(const char *p, const char *end,
				      uint64_t *number)
{
	static const uint32_t powers[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	uint64_t some;

	while (end - p >= 8) {
		int n = digits_up_to_eight(p, &some);

		*number = *number * powers[n] + some;
		p += n;
		if (n < 8)
			return p;
	}
	for (; p < end && is_digit(*p); p++)
		*number = *number * 10 + (uint64_t)(*p - '0');
	return p;
}

#endif
