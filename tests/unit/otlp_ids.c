/* Ids of OTLP spans: one number per id and trace, hex in either case, and texts
 * that are not hex. */
#include "rollout/foreign/otlp_ids.h"

#include <stdio.h>

#include "check.h"

enum { MANY = 300000 };

static uint32_t add(struct otlp_ids *ids, const char *text, uint32_t within)
{
	return otlp_ids_add(ids, str_of(text), within, INTERN_FAILED);
}

static bool reads(struct otlp_ids *ids, struct arena *a, uint32_t number,
		  const char *text)
{
	struct value v = otlp_ids_text(ids, number, a);

	return value_is_str(v, text);
}

static void check_kinds(struct arena *a)
{
	static const char *const others[] = {
		"",
		"00000000000000g0",
		"00000000000000`0",
		"00000000000000:0",
		"00000000000000/0",
		"00000000000000@0",
		"0000000000000\02000",
		"000000000000001",
		"00000000000000001",
		"00000000000000\3510",
	};
	struct otlp_ids ids = otlp_ids_new(16);
	uint32_t n = 0;

	check_case("hex in either case is one id, and reads in lower case");
	CHECK_INT(add(&ids, "0123456789abcDEF", 0), n);
	CHECK_INT(add(&ids, "0123456789ABCdef", 0), n);
	CHECK(reads(&ids, a, n++, "0123456789abcdef"));

	check_case("the same id in another trace is another one");
	CHECK_INT(add(&ids, "0123456789abcdef", 1), n++);

	check_case("the guess of a number does not matter");
	CHECK_INT(otlp_ids_add(&ids, str_of("0123456789abcdef"), 0, 1), 0);
	CHECK_INT(otlp_ids_add(&ids, str_of("0123456789abcdef"), 0, 0), 0);

	check_case("other ids are texts");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		CHECK_INT(add(&ids, others[i], 0), n);
		CHECK_INT(add(&ids, others[i], 0), n);
		CHECK(reads(&ids, a, n++, others[i]));
	}
	CHECK_INT(add(&ids, "ABCDEFG", 0), n);
	CHECK(reads(&ids, a, n++, "abcdefG"));
	otlp_ids_free(&ids);
}

static void check_many(struct arena *a)
{
	struct otlp_ids ids = otlp_ids_new(32);
	uint32_t right = 0;
	char text[40];

	check_case("many ids keep their numbers while the table grows");
	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < MANY; i++) {
			(void)snprintf(text, sizeof(text), "%016x%016x", i % 7,
				       i);
			right += add(&ids, text, 0) == i;
		}
	CHECK_INT(right, INT64_C(2) * MANY);
	CHECK_INT((int64_t)ids.n, MANY);
	CHECK(reads(&ids, a, 299999,
		    "0000000000000000"
		    "00000000000493df"));
	otlp_ids_free(&ids);
}

int main(void)
{
	struct arena a = arena_new(1 << 20);

	check_kinds(&a);
	check_many(&a);
	arena_free(&a);
	return check_done();
}
