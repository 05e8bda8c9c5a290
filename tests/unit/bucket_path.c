#include "metrics/bucket_path.h"

#include "check.h"

static struct bucket_paths paths;

static int step(uint32_t *end, double bound, const char *le)
{
	struct prom_label label = prom_label_of(str_of("le"), str_of(le));

	return bucket_path_step(&paths, end, bound, &label);
}

int main(void)
{
	uint32_t one = PATH_START, other = PATH_START;

	paths = bucket_paths_new();
	check_case("histograms with the same bounds share a path");
	CHECK_INT(step(&one, 1, "1"), 1);
	CHECK_INT(step(&one, 2, "2"), 1);
	CHECK_INT(step(&other, 1, "1"), 1);
	CHECK(one != other);
	CHECK_INT(step(&other, 2, "2"), 1);
	CHECK_INT((int64_t)one, (int64_t)other);

	check_case("what does not rise is no step");
	CHECK_INT(step(&other, 2, "2.0"), 0);
	CHECK_INT((int64_t)one, (int64_t)other);

	check_case("a bound in another spelling is a path of its own");
	other = PATH_START;
	CHECK_INT(step(&other, 1, "1.0"), 1);
	CHECK_INT(step(&other, 2, "2"), 1);
	CHECK(one != other);
	bucket_paths_free(&paths);
	return check_done();
}
