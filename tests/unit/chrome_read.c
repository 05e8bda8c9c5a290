/* fmt/file/chrome_read and gzip_read: events whole whatever the blocks, and an
 * honest end. */
#include "fmt/file/chrome_read.h"

#include "check.h"

/* A text in blocks of a few bytes. */
struct pieces {
	struct byte_source source;
	const char *p;
	size_t n, step;
};

static int next_piece(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct pieces *s = (struct pieces *)source;
	size_t n = s->n < s->step ? s->n : s->step;

	(void)err;
	*block = str_make(s->p, n);
	s->p += n;
	s->n -= n;
	return n > 0;
}

/* How many events; -1 for an error. */
static int read_all(const char *text, size_t step, bool *closed, int64_t *base,
		    struct str *last_pid)
{
	struct pieces pieces = {.source.next = next_piece,
				.p = text,
				.n = strlen(text),
				.step = step};
	struct chrome_reader *reader = chrome_open(&pieces.source);
	struct chrome_event event;
	struct err err = {0};
	static char pid[32];
	int n = 0, rc;

	for (rc = chrome_next(reader, &event, &err); rc == 1;
	     rc = chrome_next(reader, &event, &err)) {
		snprintf(pid, sizeof(pid), "%.*s",
			 STR_ARG(event.member[CHROME_PID]));
		n++;
	}
	*closed = chrome_is_closed(reader);
	*base = chrome_base(reader);
	*last_pid = str_of(pid);
	chrome_close(reader);
	return rc < 0 ? -1 : n;
}

/* The same for every size of block. */
static void gives(const char *text, int events, bool closed, int64_t base,
		  const char *pid)
{
	for (size_t step = 1; step < 70; step++) {
		struct str got_pid;
		int64_t got_base;
		bool got_closed;

		CHECK_INT(read_all(text, step, &got_closed, &got_base,
				   &got_pid),
			  events);
		CHECK_INT(got_closed, closed);
		if (events < 0)
			continue;
		CHECK_INT(got_base, base);
		if (events > 0)
			CHECK_STR(got_pid, pid);
	}
}

static void test_files(void)
{
	check_case("events of an object, its base before or after them");
	gives("{\"a\":[{}],\"traceEvents\":[{\"pid\":1,\"args\":{\"]\":\"}\\"
	      "\"\"}}, {\"x\":[[]],\"pid\":\"t\"}],\"baseTimeNanoseconds\":5}",
	      2, true, 5, "\"t\"");
	gives("{\"baseTimeNanoseconds\" : 7 , \"traceEvents\" : [ ] } ", 0,
	      true, 7, "");
	gives("{}", 0, true, 0, "");

	check_case("an array may lack its end, and a comma be left over");
	gives("[{\"pid\":2}]", 1, true, 0, "2");
	gives("[{\"pid\":2}", 1, false, 0, "2");
	gives("[{\"pid\":2},\n", 1, false, 0, "2");

	check_case("what is torn or no JSON is an error");
	gives("{\"traceEvents\":[{\"pid\":2}", -1, false, 0, "");
	gives("{\"traceEvents\":[{\"pid\":2}]", -1, false, 0, "");
	gives("{\"traceEvents\":[{\"pid\":2}]} x", -1, false, 0, "");
	gives("{\"traceEvents\":[{\"pid\":2]}", -1, false, 0, "");
	gives("{\"traceEvents\":[{\"pid\" 2}]}", -1, false, 0, "");
	gives("{\"traceEvents\":[1]}", -1, false, 0, "");
	gives("[{\"pid\":2} {\"pid\":2}]", -1, false, 0, "");
	gives("", -1, false, 0, "");
}

static int64_t time_of(const char *text)
{
	int64_t ns;

	return chrome_parse_time(str_of(text), &ns) ? ns : -1;
}

static void test_times(void)
{
	check_case("times by their digits, beyond what a double holds");
	CHECK_INT(time_of("4032212000100.123"), 4032212000100123);
	CHECK_INT(time_of("1787000001250000.7"), 1787000001250000700);
	CHECK_INT(time_of("9007199254740993.001"), 9007199254740993001);
	CHECK_INT(time_of("9223372036854775.807"), INT64_MAX);
	CHECK_INT(time_of("9223372036854775.808"), -1);
	CHECK_INT(time_of("-9223372036854775.999"), -1);
	CHECK_INT(time_of("5"), 5000);
	CHECK_INT(time_of("-1.5"), -1500);
	CHECK_INT(time_of("-0.5"), -500);
	CHECK_INT(time_of("1.2345678"), 1234);
	CHECK_INT(time_of("\"12.5\""), 12500);
	CHECK_INT(time_of("1.5e3"), 1500000);

	check_case("no time at all");
	CHECK_INT(time_of("\"x\""), -1);
	CHECK_INT(time_of("null"), -1);
	CHECK_INT(time_of("1e300"), -1);
	CHECK_INT(time_of("99999999999999999999"), -1);
	CHECK_INT(time_of(""), -1);
}

static void test_find(void)
{
	check_case("a member of an object, the last of its name");
	CHECK_STR(chrome_find(str_of("{\"a\":1,\"b\": [2] ,\"a\":\"x\"}"), "a"),
		  "\"x\"");
	CHECK(chrome_find(str_of("{\"a\":1}"), "c").p == NULL);
	CHECK(chrome_find(str_of("3"), "a").p == NULL);
}

int main(void)
{
	test_files();
	test_times();
	test_find();
	return check_done();
}
