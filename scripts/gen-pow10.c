/*
 * Print the table that lib/base/pow10.h declares: the leading 128 bits of
 * every power of ten that reading and printing a double can need. 10^q and 5^q
 * have the same leading bits. Built and run by make.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/pow10.h"

enum { WORDS = 40, BITS = 32 * WORDS, LEADING = 128 };

/* A number of up to BITS bits, the lowest word first. */
struct big {
	uint32_t w[WORDS];
};

static void multiply(struct big *n, uint32_t by)
{
	uint64_t carry = 0;

	for (int i = 0; i < WORDS; i++) {
		carry += (uint64_t)n->w[i] * by;
		n->w[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static int bit(const struct big *n, int i)
{
	return i >= 0 && (n->w[i / 32] >> i % 32 & 1);
}

static int bit_length(const struct big *n)
{
	int i = BITS;

	while (i > 0 && !bit(n, i - 1))
		i--;
	return i;
}

static int compare(const struct big *a, const struct big *b)
{
	for (int i = WORDS - 1; i >= 0; i--)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

static void subtract(struct big *a, const struct big *b)
{
	uint64_t borrow = 0;

	for (int i = 0; i < WORDS; i++) {
		uint64_t d = (uint64_t)a->w[i] - b->w[i] - borrow;

		a->w[i] = (uint32_t)d;
		borrow = d >> 63;
	}
}

static struct big power_of_5(int q)
{
	struct big n = {{1}};

	while (q-- > 0)
		multiply(&n, 5);
	return n;
}

static void shift_in(struct pow10 *p, int bit)
{
	p->high = p->high << 1 | p->low >> 63;
	p->low = p->low << 1 | (uint64_t)bit;
}

/* The leading bits of n, and of 1 / n, rounded down. */
static struct pow10 leading_bits(const struct big *n)
{
	struct pow10 p = {0, 0};
	int top = bit_length(n);

	for (int i = 0; i < LEADING; i++)
		shift_in(&p, bit(n, top - 1 - i));
	return p;
}

static struct pow10 inverse_bits(const struct big *n)
{
	struct pow10 p = {0, 0};
	struct big rest = {{0}};
	int top = bit_length(n) - 1;

	rest.w[top / 32] = 1u << top % 32;
	for (int i = 0; i < LEADING; i++) {
		int one;

		multiply(&rest, 2);
		one = compare(&rest, n) >= 0;
		if (one)
			subtract(&rest, n);
		shift_in(&p, one);
	}
	return p;
}

int main(void)
{
	printf("#include \"base/pow10.h\"\n\nconst struct pow10 "
	       "pow10_table[POW10_HIGH - POW10_LOW + 1] = {\n");
	for (int q = POW10_LOW; q <= POW10_HIGH; q++) {
		struct big n = power_of_5(q < 0 ? -q : q);
		struct pow10 p = q < 0 ? inverse_bits(&n) : leading_bits(&n);

		printf("{0x%016llxu,0x%016llxu},\n", (unsigned long long)p.high,
		       (unsigned long long)p.low);
	}
	printf("};\n");
	return fflush(stdout) != 0;
}
