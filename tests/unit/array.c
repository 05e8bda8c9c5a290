/* Arrays that grow: by doubling, with what they held, and never past what a
 * size can say. */
#include "base/array.h"

#include <stdlib.h>

#include "check.h"

enum { MILLION = 1000000, FEW = 100 };

static void check_pushes(void)
{
	uint32_t *v = NULL, *few = NULL, *stays;
	size_t cap = 0, room = 0, grown = 0;
	uint32_t at = 0;

	check_case("a million pushes move an array a few times and keep it");
	for (uint32_t n = 0; n < MILLION; n++) {
		size_t had = cap;

		if (!CHECK(ARRAY_GROW(v, n, cap)))
			break;
		grown += cap > had;
		v[n] = n;
	}
	while (at < MILLION && v[at] == at)
		at++;
	CHECK_INT(at, MILLION);
	CHECK(grown <= 20);
	CHECK(cap / 2 <= MILLION);

	free(v);
	v = NULL;
	cap = at = 0;

	check_case("and one in huge pages");
	for (uint32_t n = 0; n < MILLION; n++) {
		if (!CHECK(ARRAY_GROW_PAGES(v, n, cap)))
			break;
		v[n] = n;
	}
	while (at < MILLION && v[at] == at)
		at++;
	CHECK_INT(at, MILLION);

	check_case("one of few elements doubles from two");
	for (uint32_t n = 0; n < FEW; n++) {
		if (!CHECK(ARRAY_GROW_FEW(few, n, room)))
			break;
		CHECK(room >= 2 && room <= n * 2 + 2);
		few[n] = n;
	}
	for (uint32_t n = 0; n < FEW; n++)
		CHECK_INT(few[n], n);
	free(few);

	check_case("where there is room an array stays");
	stays = v;
	CHECK(ARRAY_GROW(v, MILLION - 1, cap) && v == stays);
	CHECK(ARRAY_GROW(v, 0, cap) && v == stays);
	free(v);
}

static void check_jumps(void)
{
	char *v = NULL;
	size_t cap = 0;

	check_case("an array gets room for any number at once");
	CHECK(ARRAY_GROW(v, 999, cap) && cap == 1000);
	CHECK(ARRAY_GROW(v, 1000, cap) && cap == 2000);
	free(v);
}

static void check_zeroes(void)
{
	size_t cap = 0, zeroes = 0;
	int *v = NULL;

	check_case("what is new of an array is zero, and only that");
	if (!CHECK(ARRAY_GROW_ZEROED(v, 0, cap)))
		return;
	for (size_t i = 0; i < cap; i++)
		zeroes += v[i] == 0;
	CHECK_INT((int64_t)zeroes, (int64_t)cap);
	for (size_t i = 0; i < cap; i++)
		v[i] = 7;
	zeroes = cap;
	CHECK(ARRAY_GROW_ZEROED(v, 4095, cap) && cap == 4096);
	for (size_t i = 0; i < cap; i++)
		zeroes += v[i] == 0;
	CHECK_INT((int64_t)zeroes, 4096);
	CHECK_INT(v[0], 7);
	free(v);
}

static void check_refused(void)
{
	static const size_t numbers[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2,
					 SIZE_MAX / 8, PTRDIFF_MAX / 8};
	size_t cap = 0;
	uint64_t *v = NULL, *first;
	size_t had;

	check_case("an array too large for a size is refused and stays");
	if (!CHECK(ARRAY_GROW(v, 0, cap)))
		return;
	first = v;
	had = cap;
	v[0] = 42;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		CHECK(!ARRAY_GROW(v, numbers[i], cap));
		CHECK(v == first && cap == had);
		CHECK(!ARRAY_GROW_ZEROED(v, numbers[i], cap));
		CHECK(v == first && cap == had);
	}
	CHECK_INT((int64_t)v[0], 42);
	cap = SIZE_MAX / 2 + 1; /* twice that is 0 */
	CHECK(!array_widen(&v, &cap, cap, 1));
	CHECK(v == first && cap == SIZE_MAX / 2 + 1);
	free(v);
}

int main(void)
{
	check_pushes();
	check_jumps();
	check_zeroes();
	check_refused();
	return check_done();
}
