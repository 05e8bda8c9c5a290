/* fmt/file/chrome_read, chrome_member and fmt/json/json_lenient: complete
 * events whatever the blocks, mended or skipped, and an honest end. */
#include "fmt/file/chrome_read.h"

#include "base/limits.h"
#include "check.h"
#include "fmt/file/chrome_member.h"
#include "fmt/json/json_lenient.h"

/* A text in blocks of a few bytes. */
struct pieces {
	struct byte_source source;
	const char *p;
	size_t n, step;
	bool torn; /* the source fails at its end */
};

static int next_piece(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct pieces *s = (struct pieces *)source;
	size_t n = s->n < s->step ? s->n : s->step;

	*block = str_make(s->p, n);
	s->p += n;
	s->n -= n;
	if (n == 0 && s->torn)
		return err_at(err, ERR_INPUT, ERR_BYTE, 99, "torn");
	return n > 0;
}

/* What came of a file: its events' names, joined, and what was found. */
struct outcome {
	int rc;
	char names[64];
	struct chrome_found found;
	struct err err;
};

static struct outcome read_all(const char *text, size_t step, bool torn)
{
	struct pieces pieces = {
		{.next = next_piece}, text, strlen(text), step, torn};
	struct chrome_reader *reader = chrome_open(&pieces.source);
	struct outcome o = {.rc = 1};
	struct chrome_event event;
	size_t n = 0;

	while (o.rc == 1) {
		o.rc = chrome_next(reader, &event, &o.err);
		if (o.rc == 1)
			n += (size_t)snprintf(
				o.names + n, sizeof(o.names) - n, "%.*s,",
				STR_ARG(chrome_unquote(
					event.member[CHROME_NAME])));
	}
	o.found = *chrome_found(reader);
	chrome_close(reader);
	return o;
}

/* The same for every size of block; the last outcome. */
static struct outcome gives(const char *text, int rc, const char *event_names)
{
	struct outcome o = {0};

	for (size_t step = 1; step < 150; step++) {
		o = read_all(text, step, false);
		CHECK_INT(o.rc, rc);
		CHECK_STR(str_of(o.names), event_names);
	}
	return o;
}

#define E(name) "{\"name\":\"" name "\"}"

static void test_files(void)
{
	struct outcome o;

	check_case("events of an object, its base before or after them");
	o = gives("{\"a\":[{}],\"traceEvents\":[{\"name\":1,\"args\":{\"]\":"
		  "\"}\\\"\"}}, {\"x\":[[]],\"name\":\"t\"}],"
		  "\"baseTimeNanoseconds\":5}",
		  0, "1,t,");
	CHECK_INT(o.found.truncated, false);
	CHECK_INT(o.found.base, 5);
	CHECK_INT(o.found.in_object, true);
	o = gives("{\"baseTimeNanoseconds\" : 7 , \"traceEvents\" : [ ] } ", 0,
		  "");
	CHECK_INT(o.found.base, 7);
	CHECK_INT((int64_t)o.found.elements, 0);

	check_case("elements that are not objects are counted");
	o = gives("[" E("a") ", 5, [{}], null, \"x}\", " E("b") "]", 0, "a,b,");
	CHECK_INT((int64_t)o.found.elements, 6);
	CHECK_INT(o.found.in_object, false);
	CHECK_INT(o.found.truncated, false);

	check_case("several objects, one behind the other; a byte order mark");
	o = gives("\xef\xbb\xbf{\"traceEvents\":[" E(
			  "a") "]}\n"
			       "{\"traceEvents\":[" E("b") "]}\n",
		  0, "a,b,");
	CHECK_INT(o.found.truncated, false);

	check_case("what has no list of events is not a trace");
	o = gives("{}", ERR_INPUT, "");
	CHECK_STR(str_of(o.err.text),
		  "not a profile: it has no traceEvents list");
	gives("{\"traceEvents\":{\"a\":1}}", ERR_INPUT, "");
	gives("{\"samples\":[{}]}\n{\"samples\":[{}]}\n", ERR_INPUT, "");
	o = gives("hello", ERR_INPUT, "");
	CHECK_STR(str_of(o.err.text),
		  "not a profile: expected '{' or '[', found 'h'");
	o = gives("", ERR_INPUT, "");
	CHECK_STR(str_of(o.err.text), "not a profile: the file is empty");
}

static void test_bases(void)
{
	struct outcome o;

	check_case("a base may be a string or a double, the last one counts");
	o = gives("{\"baseTimeNanoseconds\":\" 1700000000000000001 \","
		  "\"traceEvents\":[]}",
		  0, "");
	CHECK_INT(o.found.base, 1700000000000000001);
	o = gives("{\"baseTimeNanoseconds\":1.7e18,\"traceEvents\":[]}", 0, "");
	CHECK_INT(o.found.base, 1700000000000000000);
	CHECK_INT(o.found.base_kind, CHROME_BASE_READ);
	o = gives("{\"baseTimeNanoseconds\":1,\"traceEvents\":[],"
		  "\"baseTimeNanoseconds\":2}",
		  0, "");
	CHECK_INT(o.found.base, 2);

	check_case("a base that is none");
	for (size_t i = 0; i < 6; i++) {
		static const char *const bases[] = {"null",  "NaN", "\"x\"",
						    "1e300", "{}",  "[1]"};
		char text[100];

		snprintf(text, sizeof(text),
			 "{\"baseTimeNanoseconds\":%s,\"traceEvents\":[]}",
			 bases[i]);
		o = gives(text, 0, "");
		CHECK_INT(o.found.base_kind, CHROME_BASE_BAD);
		CHECK_INT(o.found.base, 0);
	}
	CHECK_INT(gives("[]", 0, "").found.base_kind, CHROME_BASE_NONE);
}

static void test_ends(void)
{
	struct outcome o;

	check_case("a trace that is cut keeps its complete events");
	o = gives("{\"traceEvents\":[" E("a") "," E("b"), 0, "a,b,");
	CHECK_INT(o.found.truncated, true);
	CHECK_STR(str_of(o.found.cut.text),
		  "truncated before the end of the list of events");
	CHECK_INT(o.found.cut.at, 41);
	o = gives("{\"traceEvents\":[" E("a") ",{\"name\":\"b\",\"x", 0, "a,");
	CHECK_STR(str_of(o.found.cut.text), "truncated inside an event");
	CHECK_INT(o.found.cut.at, 29);
	o = gives("{\"traceEvents\":[" E("a") "]", 0, "a,");
	CHECK_INT(o.found.truncated, true);
	o = gives("[" E("a") ",\n", 0, "a,");
	CHECK_INT(o.found.truncated, true);
	CHECK_INT(o.found.spare_comma, false);
	o = gives("[" E("a") "] x", 0, "a,");
	CHECK_STR(str_of(o.found.cut.text), "unexpected text after the trace");
	gives("{\"samples\":[{", ERR_INPUT, "");

	check_case("as does one whose source is torn");
	for (size_t step = 1; step < 60; step++) {
		o = read_all("[" E("a") "," E("b") ",{\"n", step, true);
		CHECK_INT(o.rc, 0);
		CHECK_STR(str_of(o.names), "a,b,");
		CHECK_INT(o.found.truncated, true);
		CHECK_STR(str_of(o.found.cut.text), "torn");
		CHECK_INT(o.found.cut.at, 99);
	}
	o = read_all("{\"a", 2, true);
	CHECK_INT(o.rc, ERR_INPUT);
	CHECK_STR(str_of(o.err.text), "torn");

	check_case("a comma too many");
	o = gives("[" E("a") ",]", 0, "a,");
	CHECK_INT(o.found.spare_comma, true);
	CHECK_INT(o.found.truncated, false);
	CHECK_INT(
		gives("[" E("a") ",," E("b") "]", 0, "a,b,").found.spare_comma,
		true);
	CHECK_INT(gives("[," E("a") "]", 0, "a,").found.spare_comma, true);
	CHECK_INT(gives("[" E("a") "," E("b") "]", 0, "a,b,").found.spare_comma,
		  false);
}

static void test_damaged(void)
{
	struct outcome o;

	check_case("a damaged event is skipped to a line that begins another");
	o = gives(
		"{\"traceEvents\":[\n  " E(
			"a") ",\n  {\"name\":\"a\"b\","
			     "\n\"args\":\n{}},\n  " E("c") ",\n  " E("d") "]}",
		0, "a,c,d,");
	CHECK_INT((int64_t)o.found.damaged, 1);
	CHECK_INT((int64_t)o.found.elements, 3);
	CHECK_INT(o.found.truncated, false);
	CHECK_STR(str_of(o.found.first_damaged.text),
		  "expected ',' or '}', found 'b'");
	CHECK_INT(o.found.first_damaged.at, 46);
	o = gives("[" E("a") "\n" E("b") ",\n" E("c") "]", 0, "a,c,");
	CHECK_INT((int64_t)o.found.damaged, 1);
	o = gives("[" E("a") ",:,\n" E("c") "]", 0, "a,c,");
	CHECK_INT((int64_t)o.found.damaged, 1);

	check_case("or to the end, when there is none");
	o = gives("[" E("a") ",{\"name\" 2}," E("c") "]", 0, "a,");
	CHECK_INT((int64_t)o.found.damaged, 1);
	CHECK_INT(o.found.truncated, true);
}

/* An object as a reader hands it out; NULL when it is damaged. */
static const char *mended(const char *object)
{
	static struct buf text;
	struct json_lenient scan = {.count = 0};
	struct str whole = str_of(object);

	buf_free(&text);
	text = buf_new(LIMIT_LINE);
	if (json_lenient_scan(&scan, whole) != JSON_LENIENT_DONE ||
	    scan.p != object + whole.n)
		return "(damaged)";
	if (scan.strict)
		return object;
	json_lenient_clean(whole, &text);
	buf_putc(&text, '\0');
	if (json_lenient_scan(&scan, str_make(text.p, text.n - 1)) !=
		    JSON_LENIENT_DONE ||
	    !scan.strict)
		return "(not strict)";
	return text.p;
}

static void test_mending(void)
{
	check_case("what is strict JSON stays as it is");
	CHECK_STR(
		str_of(mended("{ \"a\" : [1.5e-3, \"\\u00e9\xc3\xa9\", {}]}")),
		"{ \"a\" : [1.5e-3, \"\\u00e9\xc3\xa9\", {}]}");

	check_case("what is nearly JSON is mended");
	CHECK_STR(
		str_of(mended("{\"a\":NaN,\"b\":[-Infinity, inf,0.-32,007]}")),
		"{\"a\":null,\"b\":[null,null,null,null]}");
	CHECK_STR(str_of(mended("{\"a\":1e5,\"b\":.5,\"c\":True,\"d\":true}")),
		  "{\"a\":1e5,\"b\":null,\"c\":null,\"d\":true}");
	CHECK_STR(str_of(mended("{\"p\":\"C:\\dir\\new\\u12\"}")),
		  "{\"p\":\"C:\\\\dir\\new\\\\u12\"}");
	CHECK_STR(str_of(mended("{\"a\tb\":\"x\ny\x01\"}")),
		  "{\"a\\tb\":\"x\\ny\\u0001\"}");
	CHECK_STR(str_of(mended("{\"a\":\"\xff\xc3\"}")),
		  "{\"a\":\"\\ufffd\\ufffd\"}");
	CHECK_STR(str_of(mended("{,\"a\":[,1,,2,],,\"b\":{},}")),
		  "{\"a\":[1,2],\"b\":{}}");

	check_case("what is not is damaged");
	CHECK_STR(str_of(mended("{\"a\" 1}")), "(damaged)");
	CHECK_STR(str_of(mended("{\"a\":}")), "(damaged)");
	CHECK_STR(str_of(mended("{\"a\":,\"b\":1}")), "(damaged)");
	CHECK_STR(str_of(mended("{\"a\":[1 2]}")), "(damaged)");
	CHECK_STR(str_of(mended("{\"a\":[1}]")), "(damaged)");
	CHECK_STR(str_of(mended("{a:1}")), "(damaged)");
	CHECK_STR(str_of(mended("{1}")), "(damaged)");
}

static void test_depth(void)
{
	struct buf b = buf_new(LIMIT_LINE);
	struct outcome o;

	check_case("an event that is nested too deep is damaged");
	for (size_t depth = LIMIT_DEPTH - 1; depth <= LIMIT_DEPTH; depth++) {
		buf_clear(&b);
		buf_puts(&b, "[{\"name\":\"a\",\"x\":");
		for (size_t i = 0; i < depth; i++)
			buf_putc(&b, '[');
		for (size_t i = 0; i < depth; i++)
			buf_putc(&b, ']');
		buf_puts(&b, "},\n" E("b") "]");
		buf_putc(&b, '\0');
		o = read_all(b.p, 4096, false);
		CHECK_STR(str_of(o.names), depth < LIMIT_DEPTH ? "a,b," : "b,");
		CHECK_INT((int64_t)o.found.damaged, depth == LIMIT_DEPTH);
	}
	CHECK(strstr(o.found.first_damaged.text, "LIMIT_DEPTH") != NULL);
	buf_free(&b);
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
	CHECK_INT(time_of("2499999999999999.999"), 2499999999999999999);
	CHECK_INT(time_of("-2499999999999999.999"), -2499999999999999999);
	CHECK_INT(time_of("5"), 5000);
	CHECK_INT(time_of("-1.5"), -1500);
	CHECK_INT(time_of("-0.5"), -500);
	CHECK_INT(time_of("1.2345678"), 1235);
	CHECK_INT(time_of("1.2344999999999999999999999"), 1234);
	CHECK_INT(time_of("0.0005"), 1);
	CHECK_INT(time_of("-0.0005"), -1);
	CHECK_INT(time_of("0.00049999"), 0);
	CHECK_INT(time_of("\"12.5\""), 12500);
	CHECK_INT(time_of("\" 12.5 \""), 12500);
	CHECK_INT(time_of("1.5e3"), 1500000);
	CHECK_INT(time_of("9.0004999E+0"), 9000);
	CHECK_INT(time_of("5e-4"), 1);
	CHECK_INT(time_of("4e-4"), 0);
	CHECK_INT(time_of("0e99999999999"), 0);

	check_case("what is not a time");
	CHECK_INT(time_of("\"x\""), -1);
	CHECK_INT(time_of("null"), -1);
	CHECK_INT(time_of("2500000000000000"), -1);
	CHECK_INT(time_of("1e300"), -1);
	CHECK_INT(time_of("99999999999999999999"), -1);
	CHECK_INT(time_of("18446744073709551616e-3"), -1);
	CHECK_INT(time_of("0.-32"), -1);
	CHECK_INT(time_of("1e"), -1);
	CHECK_INT(time_of("."), -1);
	CHECK_INT(time_of(""), -1);
}

static void test_find(void)
{
	check_case("a member of an object, the last of its name");
	CHECK_STR(chrome_find(str_of("{\"a\":1,\"b\": [2] ,\"a\":\"x\"}"), "a"),
		  "\"x\"");
	CHECK_STR(chrome_find(str_of("{\"a\" : {\"b\":[1,{}],\"a\":2} }"), "a"),
		  "{\"b\":[1,{}],\"a\":2}");
	CHECK(chrome_find(str_of("{\"a\":1}"), "c").p == NULL);
	CHECK(chrome_find(str_of("{\"b\":{\"a\":1}}"), "a").p == NULL);
	CHECK(chrome_find(str_of("3"), "a").p == NULL);
}

int main(void)
{
	test_files();
	test_bases();
	test_ends();
	test_damaged();
	test_mending();
	test_depth();
	test_times();
	test_find();
	return check_done();
}
