#include "metrics/bucket_path.h"

#include "check.h"

static struct bucket_paths paths;

static int step(uint32_t *end, double bound, const char *le)
{
	struct prom_label label = prom_label_of(str_of("le"), str_of(le));

	return bucket_path_step(&paths, end, bound, &label);
}

static void check_next(void)
{
	uint32_t one = PATH_START, other = PATH_START;
	const struct bucket_path_end *next;

	check_case("a path goes on as the last that came there did");
	CHECK(bucket_path_next(&paths, one) == NULL);
	CHECK_INT(step(&one, 1, "1"), 1);
	CHECK(bucket_path_next(&paths, one) == NULL);
	CHECK_INT(step(&one, 2, "2"), 1);
	CHECK_INT(step(&other, 1, "1"), 1);
	next = bucket_path_next(&paths, other);
	if (CHECK(next != NULL))
		CHECK_STR(next->text, "2");
	CHECK_INT(step(&other, 2, "2"), 1);
	CHECK_INT((int64_t)one, (int64_t)other);

	check_case("what does not rise is no step");
	CHECK_INT(step(&other, 2, "2.0"), 0);
	CHECK_INT((int64_t)one, (int64_t)other);
}

static void check_long(void)
{
	static const char le[] = "0000000000000000000000000000000000000003";
	uint32_t end = PATH_START;
	const struct bucket_path_end *next;

	check_case("a bound that is written at length is not kept so");
	CHECK_INT(step(&end, 1, "1"), 1);
	CHECK_INT(step(&end, 3, le), 1);
	end = PATH_START;
	CHECK_INT(step(&end, 1, "1"), 1);
	next = bucket_path_next(&paths, end);
	if (CHECK(next != NULL)) {
		CHECK(next->bound == 3);
		CHECK_STR(next->text, "");
	}
}

int main(void)
{
	struct arena arena = arena_new(1 << 20);

	paths = bucket_paths_new(&arena);
	check_next();
	check_long();
	bucket_paths_free(&paths);
	arena_free(&arena);
	return check_done();
}
