/*
 * A small test harness: a program of cases that prints TAP.
 *
 *	int main(void)
 *	{
 *		check_case("an empty slice starts with the empty text");
 *		CHECK(str_starts(str_of(""), ""));
 *		return check_done();
 *	}
 *
 * A case ends where the next begins. A failed check is told with its place
 * and values, and the case goes on. Macros evaluate arguments once.
 */
#ifndef OBS_TESTS_UNIT_CHECK_H
#define OBS_TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static struct {
	const char *name; /* of the open case, NULL before the first */
	int cases;
	int failed_cases;
	bool failed; /* a check of the open case */
} check_state;

static inline void check_close_case(void)
{
	if (!check_state.name)
		return;
	printf("%sok %d - %s\n", check_state.failed ? "not " : "",
	       check_state.cases, check_state.name);
	fflush(stdout);
	check_state.failed_cases += check_state.failed;
}

static inline void check_case(const char *name)
{
	check_close_case();
	check_state.name = name;
	check_state.failed = false;
	check_state.cases++;
}

/* The last statement of main: the plan, and the exit status. */
static inline int check_done(void)
{
	check_close_case();
	printf("1..%d\n", check_state.cases);
	fflush(stdout); /* a leak found at exit ends the program at once */
	return check_state.failed_cases > 0;
}

static inline void check_failed(const char *file, int line)
{
	check_state.failed = true;
	printf("# %s:%d: ", file, line);
}

static inline bool check_true(bool holds, const char *text, const char *file,
			      int line)
{
	if (!holds) {
		check_failed(file, line);
		printf("%s\n", text);
	}
	return holds;
}

static inline void check_int(int64_t got, int64_t want, const char *file,
			     int line)
{
	if (got == want)
		return;
	check_failed(file, line);
	printf("got %" PRId64 ", want %" PRId64 "\n", got, want);
}

/* Equal as bits, so that -0 is not 0 and a NaN is itself. */
static inline void check_double(double got, double want, const char *file,
				int line)
{
	if (memcmp(&got, &want, sizeof(got)) == 0)
		return;
	check_failed(file, line);
	printf("got %.17g, want %.17g\n", got, want);
}

static inline void check_str(struct str got, struct str want, const char *file,
			     int line)
{
	if (str_eq(got, want))
		return;
	check_failed(file, line);
	printf("got \"%.*s\", want \"%.*s\"\n", STR_ARG(got), STR_ARG(want));
}

/* CHECK gives the condition's truth: `if (!CHECK(p)) return;`. */
#define CHECK(condition) check_true(condition, #condition, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_int(got, want, __FILE__, __LINE__)
#define CHECK_DOUBLE(got, want) check_double(got, want, __FILE__, __LINE__)
#define CHECK_STR(got, want) check_str(got, str_of(want), __FILE__, __LINE__)
#define CHECK_TEXT(got, want) CHECK_STR(str_of(got), want)

#endif
