#include "base/similar.h"

#include <stdint.h>

enum {
	LENGTH_MAX = 128,
	SHORTEST = 3 /* bytes; shorter is no evidence */
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t similar_distance(struct str a, struct str b)
{
	size_t row[LENGTH_MAX + 1];

	if (a.n > LENGTH_MAX || b.n > LENGTH_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= b.n; k++)
		row[k] = k;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= b.n; k++) {
			size_t replaced = diagonal + (a.p[i - 1] != b.p[k - 1]);

			diagonal = row[k];
			row[k] = least(replaced, least(row[k], row[k - 1]) + 1);
		}
	}
	return row[b.n];
}

bool similar_may_be(struct str wanted, struct str there)
{
	if (wanted.n < SHORTEST || there.n < SHORTEST)
		return false;
	if (memmem(there.p, there.n, wanted.p, wanted.n) != NULL ||
	    memmem(wanted.p, wanted.n, there.p, there.n) != NULL)
		return true;
	return similar_distance(wanted, there) <= wanted.n / 4;
}
