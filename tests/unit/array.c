/* Arrays that grow: by doubling, with what they held, and never past what a
 * size can say. */
#include "base/array.h"

#include <stdlib.h>

#include "check.h"

enum { MILLION = 1000000 };

static void check_pushes(void)
{
	uint32_t *v = NULL;
	size_t cap = 0, grown = 0;
	uint32_t at = 0;

	check_case("a million pushes move an array a few times and keep it");
	for (uint32_t n = 0; n < MILLION; n++) {
		size_t had = cap;

		v = array_room(v, &cap, n, sizeof(*v));
		if (!CHECK(n < cap))
			break;
		grown += cap > had;
		v[n] = n;
	}
	while (at < MILLION && v[at] == at)
		at++;
	CHECK_INT(at, MILLION);
	CHECK(grown <= 20);
	CHECK(cap / 2 <= MILLION);

	check_case("where there is room an array stays");
	CHECK(array_room(v, &cap, MILLION - 1, sizeof(*v)) == v);
	CHECK(array_room(v, &cap, 0, sizeof(*v)) == v);
	free(v);
}

static void check_jumps(void)
{
	char *v = NULL;
	size_t cap = 0;

	check_case("an array gets room for any number at once");
	v = array_room(v, &cap, 999, 1);
	CHECK(cap == 1000);
	v = array_room(v, &cap, 1000, 1);
	CHECK(cap == 2000);
	free(v);
}

static void check_zeroes(void)
{
	size_t cap = 0, zeroes = 0;
	int *v = array_room_zeroed(NULL, &cap, 0, sizeof(*v));

	check_case("what is new of an array is zero, and only that");
	if (!CHECK(cap > 0))
		return;
	for (size_t i = 0; i < cap; i++)
		zeroes += v[i] == 0;
	CHECK_INT((int64_t)zeroes, (int64_t)cap);
	for (size_t i = 0; i < cap; i++)
		v[i] = 7;
	zeroes = cap;
	v = array_room_zeroed(v, &cap, 4095, sizeof(*v));
	CHECK(cap == 4096);
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
	uint64_t *v = array_room(NULL, &cap, 0, sizeof(*v));
	uint64_t *first = v;
	size_t had = cap;

	check_case("an array too large for a size is refused and stays");
	if (!CHECK(cap > 0))
		return;
	v[0] = 42;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		v = array_room(v, &cap, numbers[i], sizeof(*v));
		CHECK(v == first && cap == had);
		v = array_room_zeroed(v, &cap, numbers[i], sizeof(*v));
		CHECK(v == first && cap == had);
	}
	CHECK_INT((int64_t)v[0], 42);
	cap = SIZE_MAX / 2 + 1; /* twice that is 0 */
	CHECK(array_room(v, &cap, cap, 1) == v && cap == SIZE_MAX / 2 + 1);
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
