#include <math.h>

#include "fmt/prom/prom_read.h"
#include "fmt/prom/prom_text.h"

#include "check.h"
#include "piece.h"

static struct prom_parser parser;
static struct prom_line line;
static struct err err;

static int parse(const char *text)
{
	err = (struct err){0};
	return prom_parse(&parser, str_of(text), PROM_MILLISECONDS, &line,
			  &err);
}

static void check_samples(void)
{
	check_case("a sample: name, labels, value, timestamp");
	CHECK_INT(parse("a:b{x=\"1\",y=\"2\"} -1.5e3 -7"), 0);
	CHECK_INT(line.kind, PROM_SAMPLE);
	CHECK_STR(line.name, "a:b");
	CHECK_INT((int64_t)line.n_labels, 2);
	CHECK_STR(line.labels[1].name, "y");
	CHECK_STR(line.labels[1].value, "2");
	CHECK_DOUBLE(line.value, -1500);
	CHECK((int64_t)line.time == -7);

	check_case("blanks, a trailing comma and CR do no harm");
	CHECK_INT(parse("\t a { x = \"1\" , }\t2 \r"), 0);
	CHECK_INT((int64_t)line.n_labels, 1);
	CHECK(isnan(line.time));

	check_case("a line that was made CRLF twice ends once");
	CHECK_INT(parse("# HELP a one \rtwo\r\r"), 0);
	CHECK_STR(line.help, "one \rtwo");

	check_case("a quoted name, wherever it stands in the braces");
	CHECK_INT(parse("{l=\"v\",\"my.m\"} 1"), 0);
	CHECK_STR(line.name, "my.m");
	CHECK_INT((int64_t)line.n_labels, 1);

	check_case("an exemplar is read and left out");
	CHECK_INT(parse("a_total{x=\"1\"} 5 9 # {x=\"t\"} 0.5 1.5"), 0);
	CHECK_INT((int64_t)line.n_labels, 1);
	CHECK_STR(line.labels[0].value, "1");
	CHECK((int64_t)line.time == 9);

	check_case("stamps up to the last int64 are exact");
	CHECK_INT(parse("a 1 9223372036854775807"), 0);
	CHECK((int64_t)line.time == INT64_MAX);
	CHECK_INT(parse("a 1 9223372036854775808"), ERR_INPUT);
}

static void check_escapes(void)
{
	check_case("escapes come out canonical");
	CHECK_INT(parse("a{p=\"C:\\dir\\\\x\\n\\\"\"} 1"), 0);
	CHECK_STR(line.labels[0].value, "C:\\\\dir\\\\x\\n\\\"");
	CHECK_INT(parse("# HELP a say \\\"hi\\\" \\"), 0);
	CHECK_STR(line.help, "say \\\\\"hi\\\\\" \\\\");
}

static void check_errors(void)
{
	static const struct {
		const char *text;
		const char *error;
	} bad[] = {
		{"a", "column 2: expected a number, found the end of the line"},
		{"a 0x10", "column 3: expected a number, found \"0x10\""},
		{"a 1_0", "column 3: expected a number, found \"1_0\""},
		{"a -NaN", "column 3: expected a number, found \"-NaN\""},
		{"a 1e400", "column 3: expected a number that a double can "
			    "hold, found \"1e400\""},
		{"a 1 2.5", "column 5: expected a timestamp in milliseconds, "
			    "found \"2.5\""},
		{"a{x=1} 2",
		 "column 5: expected a quoted label value, found \"1} 2\""},
		{"a{x=\"1\",x=\"2\"} 2", "column 10: this label is given "
					 "twice, found \"=\"2\"} 2\""},
		{"a{x=\"\xc0\x80\"} 1",
		 "column 6: expected UTF-8, found \"\xc0\x80\"} 1\""},
		{"a{x=\"1\"} 2 # {\"b\"} 1",
		 "column 18: the metric has a name already; expected '=' "
		 "after a label name, found \"} 1\""},
		{"# TYPE a bogus",
		 "column 10: expected a metric type, found \"bogus\""},
	};

	check_case("what is wrong, with column and text");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_INT(parse(bad[i].text), ERR_INPUT);
		CHECK_TEXT(err.text, bad[i].error);
	}
}

static void check_numbers(void)
{
	static const struct {
		double value;
		const char *text;
	} numbers[] = {
		{1, "1"},
		{-0.0, "0"},
		{0.1, "0.1"},
		{1e300, "1e+300"},
		{1e15, "1000000000000000"},
		{(double)NAN, "NaN"},
		{-(double)INFINITY, "-Inf"},
	};

	check_case("values in their shortest spelling");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[PROM_NUMBER_MAX];
		size_t n = prom_put_value(text, numbers[i].value);

		CHECK_STR(str_make(text, n), numbers[i].text);
	}
}

/* The timestamps of the samples in text, read in pieces of most bytes. */
static void check_times(const char *text, size_t most, enum prom_units units,
			const int64_t *times, size_t n)
{
	struct piece piece = {str_of(text), most};
	struct prom_reader r = prom_reader_new(read_piece, &piece, units);
	size_t i = 0;
	int code;

	for (code = prom_next(&r, &line, &err); code == 1;
	     code = prom_next(&r, &line, &err)) {
		if (line.kind != PROM_SAMPLE)
			continue;
		if (CHECK(i < n))
			CHECK_INT((int64_t)line.time, times[i]);
		i++;
	}
	CHECK_INT(code, 0);
	CHECK_INT((int64_t)i, (int64_t)n);
	prom_reader_free(&r);
}

static void check_units(void)
{
	static const char *const lone = "a 1 2\nb 1 3.5\n# EOF\n\n";
	static const char *const two = "a 1 2\n# EOF\nb 1 3\n# EOF\n";
	static const char *const stream = "# obs-scrape stream\na 1 2\n# EOF\n";

	for (size_t most = 1; most <= 64; most += 63) {
		check_case("a lone body that ends in # EOF counts seconds");
		check_times(lone, most, PROM_BY_STREAM, (int64_t[]){2000, 3500},
			    2);
		check_case("each of several counts milliseconds");
		check_times(two, most, PROM_BY_STREAM, (int64_t[]){2, 3}, 2);
		check_case("unless parts are bodies by themselves");
		check_times(two, most, PROM_BY_BODY, (int64_t[]){2000, 3000},
			    2);
		check_case("a stream says that it counts milliseconds");
		check_times(stream, most, PROM_BY_STREAM, (int64_t[]){2}, 1);
	}
}

static void check_label_text(void)
{
	struct prom_label labels[4];

	check_case("label text is taken apart as it was put together");
	CHECK_INT((int64_t)prom_labels_read(
			  str_of("a=\"1\",\"b.c\"=\"x\\\",=\",d=\"\""), labels,
			  4),
		  3);
	CHECK_STR(labels[1].name, "b.c");
	CHECK_STR(labels[1].value, "x\\\",=");
	CHECK_STR(labels[2].value, "");
	CHECK_INT((int64_t)prom_labels_read(str_of("a=\"1\",b=\"2\""), labels,
					    1),
		  2);
}

/* Values are scanned many bytes at a time. */
static void check_long_values(void)
{
	static const struct {
		const char *bytes, *value; /* NULL: refused */
	} odd[] = {{"\x1f", "\x1f"},	     {"\t", "\t"},
		   {"\\\"", "\\\""},	     {"\x7f", "\x7f"},
		   {"\xc3\xa9", "\xc3\xa9"}, {"\x80", NULL},
		   {"\xff", NULL},	     {"\"", NULL}};
	char text[128], wanted[128];

	check_case("an odd byte at each place of a long value");
	for (int at = 0; at < 40; at++) {
		for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			snprintf(text, sizeof(text), "a{x=\"%.*s%s%s\"} 1", at,
				 "abcdefghijklmnopqrstuvwxyz ~!#[]0123456789",
				 odd[i].bytes, "tail of the value, 1234567890");
			snprintf(wanted, sizeof(wanted), "%.*s%s%s", at,
				 "abcdefghijklmnopqrstuvwxyz ~!#[]0123456789",
				 odd[i].bytes, "tail of the value, 1234567890");
			if (odd[i].value == NULL) {
				CHECK_INT(parse(text), ERR_INPUT);
				continue;
			}
			CHECK_INT(parse(text), 0);
			CHECK_STR(line.labels[0].value, wanted);
		}
	}
}

static void check_written(void)
{
	check_case("labels that stand as they are written, the second time");
	CHECK_INT(parse("a{x=\"1\",y=\"2\"} 1"), 0);
	CHECK_INT(parse("a{x=\"1\",y=\"3\"} 1"), 0);
	CHECK_STR(line.written, "x=\"1\",y=\"3\"");
	CHECK_INT(parse("a{x=\"1\",y=\"3\",} 1"), 0);
	CHECK(line.written.p == NULL);
	CHECK_INT(parse("a{x=\"1\", y=\"3\"} 1"), 0);
	CHECK(line.written.p == NULL);
	CHECK_INT(parse("a{x=\"1\",y=\"\\n\"} 1"), 0);
	CHECK(line.written.p == NULL);
	CHECK_INT(parse("a 1"), 0);
	CHECK(line.written.p == NULL);
}

int main(void)
{
	parser = prom_parser_new();
	check_samples();
	check_long_values();
	check_written();
	check_escapes();
	check_errors();
	check_numbers();
	check_units();
	check_label_text();
	prom_parser_free(&parser);
	return check_done();
}
