#include "base/search.h"

#include "base/array.h"
#include "check.h"

static const int v[] = {1, 3, 3, 3, 7, 9};

/* Brute force, of the same meaning. */
static size_t first_from(size_t from, size_t to, int least)
{
	while (from < to && v[from] < least)
		from++;
	return from;
}

static void check_all_ranges(void)
{
	size_t i;

	check_case("a search finds the first index, as counting does");
	for (size_t from = 0; from <= ARRAY_SIZE(v); from++)
		for (size_t to = from; to <= ARRAY_SIZE(v); to++)
			for (int least = 0; least <= 10; least++) {
				SEARCH_FIRST(i, from, to, v[i] >= least);
				CHECK(i == first_from(from, to, least));
			}
}

static void check_empty(void)
{
	size_t i;

	check_case("the property is not looked for outside of the range");
	SEARCH_FIRST(i, 2, 2, v[i + 1000000] == 0);
	CHECK(i == 2);
	SEARCH_FIRST(i, 1, 0, v[i + 1000000] == 0);
	CHECK(i == 1);
}

int main(void)
{
	check_all_ranges();
	check_empty();
	return check_done();
}
