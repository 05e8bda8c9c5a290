/* Reading option values. What is refused ends the program, and is tested
 * through the programs in tests/common.bats. */
#include <getopt.h>

#include "../../cmd/common.h"
#include "check.h"

static const char *const words[] = {"json", "tsv", NULL};

static struct {
	bool flag;
	const char *text;
	struct opt_list labels;
	int64_t count;
	int64_t bytes;
	double seconds;
	double wait;
	int word;
	const char *taken;
} got;

static const char *take(const char *value)
{
	got.taken = value;
	return NULL;
}

static const struct opt options[] = {
	OPT_GROUP("Test"),
	OPT_FLAG('u', "up", &got.flag, "a flag"),
	OPT_OUTPUT(&got.text),
	OPT_LABEL(&got.labels),
	OPT_CONCURRENCY(&got.count, " 8"),
	OPT_BYTES(0, "max-bytes", "BYTES", &got.bytes, 0, 0x1p62, "bytes"),
	OPT_TIMEOUT(&got.seconds, " 5"),
	OPT_FORMAT(&got.word, words, " json"),
	OPT_ROW(0, "wait", OPT_KIND_SECONDS, "SECONDS", "may lack its value",
		.to.dbl = &got.wait, .min = 0, .max = 1e9, .absent = "9"),
	OPT_CALL(0, "take", "ANY", take, "a callback"),
	OPT_COMMON,
};

static const struct program program = {
	.name = "test", .synopsis = "", .about = "", .options = options};

/* Parse "test ARG..."; returns how many arguments are operands. */
static int parse(char *const *args)
{
	static char *argv[16];
	int argc = 1;

	argv[0] = (char *)(uintptr_t) "test";
	while (args[argc - 1]) {
		argv[argc] = args[argc - 1];
		argc++;
	}
	argv[argc] = NULL;
	optind = 0; /* glibc: begin anew */
	return argc - opt_parse(&program, argc, argv);
}

#define PARSE(...) parse((char *const[]){(char *)(uintptr_t)__VA_ARGS__, NULL})

static void test_values(void)
{
	check_case("a value follows its option or its equals sign");
	CHECK_INT(PARSE("--output=a", "x"), 1);
	CHECK_TEXT(got.text, "a");
	CHECK_INT(PARSE("-ob"), 0);
	CHECK_TEXT(got.text, "b");

	check_case("a repeatable option keeps its values in order");
	PARSE("-la=1");
	PARSE("--label=b=2");
	CHECK_INT((int64_t)got.labels.n, 2);
	CHECK_TEXT(got.labels.v[1], "b=2");

	check_case("a word becomes its place in the list");
	PARSE("-ftsv");
	CHECK_INT(got.word, 1);

	check_case("a callback gets the text");
	PARSE("--take=x y");
	CHECK_TEXT(got.taken, "x y");
}

static void test_numbers(void)
{
	check_case("bytes take K, M, G and T in either case");
	PARSE("--max-bytes=256M");
	CHECK_INT(got.bytes, 256 << 20);
	PARSE("--max-bytes=1.5k");
	CHECK_INT(got.bytes, 1536);
	PARSE("--max-bytes=7");
	CHECK_INT(got.bytes, 7);

	check_case("seconds take ms, s, m and h");
	PARSE("-t500ms");
	CHECK_DOUBLE(got.seconds, 0.5);
	PARSE("-t2m");
	CHECK_DOUBLE(got.seconds, 120);
	PARSE("-t0.01h");
	CHECK_DOUBLE(got.seconds, 36);
	PARSE("-t0.25");
	CHECK_DOUBLE(got.seconds, 0.25);
}

static void test_words(void)
{
	check_case("an unambiguous abbreviation is the option");
	PARSE("--conc=7");
	CHECK_INT(got.count, 7);

	check_case("a value that may be absent is the next word if it can be");
	CHECK_INT(PARSE("--wait", "5m", "x"), 1);
	CHECK_DOUBLE(got.wait, 300);
	CHECK_INT(PARSE("y", "--wait", "x"), 2);
	CHECK_DOUBLE(got.wait, 9);
	CHECK_INT(PARSE("--wait=7", "8"), 1);
	CHECK_DOUBLE(got.wait, 7);
	CHECK_INT(PARSE("--wait", "-u"), 0);
	CHECK_DOUBLE(got.wait, 9);

	check_case("after -- all is operand");
	got.flag = false;
	CHECK_INT(PARSE("--", "-u"), 1);
	CHECK(!got.flag);
}

int main(void)
{
	test_values();
	test_numbers();
	test_words();
	return check_done();
}
