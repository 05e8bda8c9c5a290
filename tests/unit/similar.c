#include "base/similar.h"

#include <stdint.h>
#include <stdlib.h>

#include "check.h"

static size_t distance(const char *a, const char *b)
{
	return similar_distance(str_of(a), str_of(b));
}

static bool may_be(const char *wanted, const char *there)
{
	return similar_may_be(str_of(wanted), str_of(there));
}

int main(void)
{
	char longest[129];

	check_case("a slip is a byte put in, taken out or replaced");
	CHECK_INT((int64_t)distance("", ""), 0);
	CHECK_INT((int64_t)distance("abc", ""), 3);
	CHECK_INT((int64_t)distance("", "abcd"), 4);
	CHECK_INT((int64_t)distance("kitten", "sitting"), 3);
	CHECK_INT((int64_t)distance("flaw", "lawn"), 2);

	check_case("what is too long is not compared");
	memset(longest, 'a', 128);
	longest[128] = '\0';
	CHECK_INT((int64_t)distance(longest, longest), 0);
	CHECK(similar_distance(str_make(longest, 129), str_of("a")) ==
	      SIZE_MAX);

	check_case("a part, the whole, or a few slips are alike");
	CHECK(may_be("worker", "worker_addr"));
	CHECK(may_be("worker_addr", "worker"));
	CHECK(may_be("modell_name", "model_name"));
	CHECK(may_be("abcdefgh", "xxcdefgh"));
	CHECK(!may_be("abcdefghijk", "xxxdefghijk"));
	CHECK(!may_be("rank", "role"));
	CHECK(!may_be("y", "engine_type"));
	CHECK(!may_be("", "x"));
	return check_done();
}
