/* base/spill_list: records come back as they were added, sorted ones in a
 * stable order, whether they are in memory or in a file. */
#include "base/spill_list.h"

#include <stdlib.h>

#include "base/limits.h"
#include "check.h"

struct record {
	int64_t key, place;
};

enum { MANY = 300000 }; /* several windows of a file */

static uint32_t state = 1;

static uint32_t next_random(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static int by_key(const void *x, const void *y, const void *context)
{
	const struct record *a = x;
	const struct record *b = y;

	(void)context;
	return (a->key > b->key) - (a->key < b->key);
}

/* Keys in order, in a few ordered runs, in none, and backwards. */
static int64_t key_of(int shape, int64_t i)
{
	return shape == 0   ? i / 3
	       : shape == 1 ? i % 70000
	       : shape == 2 ? next_random() % 5000
			    : MANY - i;
}

static bool is_sorted(const struct spill_list *list)
{
	for (size_t i = 1; i < list->n; i++) {
		const struct record *a = spill_list_at(list, i - 1);
		const struct record *b = spill_list_at(list, i);

		if (a->key > b->key ||
		    (a->key == b->key && a->place >= b->place))
			return false;
	}
	return true;
}

static int64_t sum_of(const struct spill_list *list)
{
	int64_t sum = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct record *r = spill_list_at(list, i);

		sum += r->key * 31 + r->place;
	}
	return sum;
}

static void fill(struct spill_list *list, int shape, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		struct record *r = spill_list_add(list);

		if (r != NULL)
			*r = (struct record){key_of(shape, i), i};
	}
}

static void test_limit(size_t limit, bool in_file)
{
	for (int shape = 0; shape < 4; shape++) {
		struct spill spill = {.limit = limit};
		struct spill_list list =
			spill_list_new(sizeof(struct record), &spill);
		struct err err = {0};
		int64_t sum;

		fill(&list, shape, MANY);
		CHECK_INT((int64_t)list.n, MANY);
		CHECK_INT(list.in_file, in_file);
		sum = sum_of(&list);
		spill_list_trim(&list);
		CHECK_INT(sum_of(&list), sum);
		CHECK_INT(spill_list_sort(&list, by_key, NULL, &err), 0);
		CHECK_INT((int64_t)list.n, MANY);
		CHECK_INT(sum_of(&list), sum);
		CHECK(is_sorted(&list));
		CHECK(!in_file || spill.used <= limit);
		spill_list_free(&list);
		CHECK_INT((int64_t)spill.used, 0);
	}
}

static void test_shared(void)
{
	struct spill spill = {.limit = 64 * KIB};
	struct spill_list first, second;

	check_case("lists share a budget");
	first = spill_list_new(sizeof(struct record), &spill);
	second = first;
	fill(&first, 0, 2000);
	CHECK(!first.in_file);
	fill(&second, 0, 3000);
	CHECK(second.in_file);
	CHECK(spill.used <= spill.limit);
	CHECK_INT((int64_t)spill.files, 1);
	spill_list_free(&first);
	spill_list_free(&second);
}

int main(void)
{
	check_case("in memory");
	test_limit(64 * MIB, false);
	check_case("in a file");
	test_limit(100 * KIB, true);
	check_case("in a file from the first record on");
	test_limit(0, true);
	test_shared();
	check_case("in memory, when no file can be made");
	setenv("TMPDIR", "/nonexistent", 1);
	test_limit(100 * KIB, false);
	return check_done();
}
