#include "metrics/stream/metric_stream.h"

#include "base/buf.h"
#include "check.h"
#include "piece.h"

/* "NAME{LABELS}VALUE@TIME " for each sample, "; " where a snapshot ends and
 * "!TEXT! " for an error. */
static struct buf lines;

static void put_line(const struct prom_line *line)
{
	if (line->kind == PROM_EOF) {
		buf_puts(&lines, "; ");
		return;
	}
	if (line->kind != PROM_SAMPLE)
		return;
	buf_printf(&lines, "%.*s", STR_ARG(line->name));
	for (size_t i = 0; i < line->n_labels; i++)
		buf_printf(&lines, "{%.*s=%.*s}", STR_ARG(line->labels[i].name),
			   STR_ARG(line->labels[i].value));
	buf_printf(&lines, " %g@%.0Lf ", line->value, line->time);
}

static const char *read_stream(const char *text, size_t most, bool latest)
{
	struct piece piece = {str_of(text), most};
	struct metric_stream s =
		metric_stream_new(read_piece, &piece, PROM_BY_STREAM, latest);
	struct prom_line line;
	struct err err;
	int code = 1;

	buf_clear(&lines);
	while (code != 0 && lines.n < 10000) {
		code = metric_stream_next(&s, &line, &err);
		if (code == 1)
			put_line(&line);
		else if (code < 0)
			buf_printf(&lines, "!%s! ", err.text);
		if (code < 0 && code != ERR_INPUT && code != ERR_LIMIT)
			break;
	}
	metric_stream_free(&s);
	buf_putc(&lines, '\0');
	return lines.p;
}

/* The same bytewise and in one piece. */
static void check_stream(const char *text, const char *want)
{
	CHECK_STR(str_of(read_stream(text, SIZE_MAX, false)), want);
	CHECK_STR(str_of(read_stream(text, 1, false)), want);
}

#define ANSWER(series)                                                         \
	"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\","         \
	"\"result\":[" series "]}}"

static void check_formats(void)
{
	check_case("expositions pass as they are");
	check_stream(
		"# obs-scrape stream\na{x=\"{\"} 1 5\n# EOF\na 2 6\n# EOF\n",
		"a{x={} 1@5 ; a 2@6 ; ");
	check_case("a sample with a quoted name is no JSON");
	check_stream("{\"a\",x=\"1\"} 1 5\n", "a{x=1} 1@5 ");
	check_case("an answer of Prometheus, whose times are seconds");
	check_stream(ANSWER("{\"metric\":{\"__name__\":\"a\",\"x\":\"1\"},"
			    "\"values\":[[1.5,\"3\"],[2.5,\"+Inf\"]]}"),
		     "a{x=1} 3@1500 ; a{x=1} inf@2500 ; ");
	check_case("an answer at one time");
	check_stream(
		"{\"data\":{\"result\":[{\"value\":[7,\"2\"],"
		"\"metric\":{\"__name__\":\"a\"}}]},\"status\":\"success\"}",
		"a 2@7000 ; ");
	check_case("an export of VictoriaMetrics, keys in any order, null left "
		   "out");
	check_stream("{\"timestamps\":[1000,2000,3000],\"values\":[1,null,3.5],"
		     "\"metric\":{\"__name__\":\"a\"}}\n",
		     "a 1@1000 ; a 3.5@3000 ; ");
	check_case("a list of series, as jq leaves it");
	check_stream(" [ {\"metric\":{\"__name__\":\"a\"},"
		     "\"values\":[[1,\"1\"]]} ]",
		     "a 1@1000 ; ");
	check_case("labels are escaped as an exposition has them");
	check_stream(ANSWER("{\"metric\":{\"__name__\":\"a\","
			    "\"x\":\"\\\"\\\\\\n\"},\"values\":[[1,\"1\"]]}"),
		     "a{x=\\\"\\\\\\n} 1@1000 ; ");
	check_case("what is not known is skipped");
	check_stream(
		ANSWER("{\"metric\":{\"__name__\":\"a\"},\"z\":[{\"values\":"
		       "[[1,\"2\"]]}],\"values\":[[1,\"1\"]]}"),
		"a 1@1000 ; ");
}

static void check_cells(void)
{
	check_case("series that share their times make a snapshot a time");
	check_stream(
		"{\"metric\":{\"__name__\":\"a\"},\"values\":[1,2],"
		"\"timestamps\":[1000,2000]}\n{\"metric\":{\"__name__\":\"b\"},"
		"\"values\":[3,4],\"timestamps\":[1000,2000]}\n",
		"a 1@1000 b 3@1000 ; a 2@2000 b 4@2000 ; ");
	check_case("series at times of their own do so, too");
	check_stream("{\"metric\":{\"__name__\":\"a\"},\"values\":[1,2,3],"
		     "\"timestamps\":[1000,16000,31000]}\n"
		     "{\"metric\":{\"__name__\":\"b\"},\"values\":[4,5,6],"
		     "\"timestamps\":[6000,21002,35998]}\n",
		     "a 1@1000 b 4@6000 ; a 2@16000 b 5@21002 ; "
		     "a 3@31000 b 6@35998 ; ");
	check_case("one series in two lines of an export is one");
	check_stream("{\"metric\":{\"__name__\":\"a\"},\"values\":[1],"
		     "\"timestamps\":[1000]}\n{\"metric\":{\"__name__\":\"a\"},"
		     "\"values\":[2],\"timestamps\":[2000]}\n",
		     "a 1@1000 ; a 2@2000 ; ");
	check_case("a series that is slower keeps its sample, one that ended "
		   "does not");
	check_stream(
		"{\"metric\":{\"__name__\":\"a\"},\"values\":[1,2,3,4,5],"
		"\"timestamps\":[1000,2000,3000,4000,5000]}\n"
		"{\"metric\":{\"__name__\":\"b\"},\"values\":[7,8],"
		"\"timestamps\":[1000,3000]}\n"
		"{\"metric\":{\"__name__\":\"c\"},\"values\":[9],"
		"\"timestamps\":[2000]}\n",
		"a 1@1000 b 7@1000 ; a 2@2000 b 7@1000 c 9@2000 ; a 3@3000 b 8@3000 ; "
		"a 4@4000 b 8@3000 ; a 5@5000 ; ");
	check_case("of operands that make one snapshot the last counts");
	CHECK_STR(str_of(read_stream(
			  "{\"metric\":{\"__name__\":\"a\"},\"values\":[1,2],"
			  "\"timestamps\":[1000,2000]}\n",
			  7, true)),
		  "a 2@2000 ; ");
}

static void check_errors(void)
{
	check_case("an error of the server");
	check_stream("{\"status\":\"error\",\"errorType\":\"bad_data\","
		     "\"error\":\"parse error\"}",
		     "!the server answered with an error: parse error! ");
	check_case("other JSON");
	check_stream(
		"{\"samples\":[{\"index\":1}]}",
		"!this is JSON, not metrics; only answers of Prometheus and exports of VictoriaMetrics can be read! ");
	check_case("an answer without series is an error");
	check_stream(ANSWER(""), "!the history has no samples; check the names "
				 "and times of the query! ");
	check_case("a bad line of an export is left out");
	check_stream("{\"metric\":{\"__name__\":\"a\"},\"values\":[1],"
		     "\"timestamps\":[1000]}\n"
		     "{\"metric\":{\"__name__\":\"b\"},\"values\":[1,x]}\n"
		     "{\"metric\":{\"__name__\":\"c\"},\"values\":[2],"
		     "\"timestamps\":[1000]}\n",
		     "!'x' is not a JSON value! a 1@1000 c 2@1000 ; ");
	check_case("an answer that breaks off gives the series before");
	check_stream(
		"{\"status\":\"success\",\"data\":{\"result\":["
		"{\"metric\":{\"__name__\":\"a\"},\"values\":[[1,\"1\"]]},"
		"{\"metric\":{\"__name__\":\"b\"},\"values\":[[1,\"1\"],",
		"!expected [SECONDS, VALUE], but the input ends here! a 1@1000 ; ");
	check_case("values and timestamps that do not match");
	check_stream("{\"metric\":{\"__name__\":\"a\"},\"values\":[1,2],"
		     "\"timestamps\":[1000]}\n",
		     "!a series with 2 values and 1 timestamps! ");
	check_case("a series without a name");
	check_stream(
		ANSWER("{\"metric\":{\"x\":\"1\"},\"values\":[[1,\"1\"]]}"),
		"!skipped 1 series without a name; query the metric "
		"itself, without rate() or sum()! ");
	check_case("a time that is out of range");
	check_stream(ANSWER("{\"metric\":{\"__name__\":\"a\"},"
			    "\"values\":[[1e300,\"1\"]]}"),
		     "!skipped 1 sample with a bad value or timestamp! ");
}

static void check_sorting(void)
{
	enum { MANY = 5 * POINTS_HELD / 2, SERIES = 7 };
	struct points p = points_new();
	struct point point, before = {INT64_MIN, 0, 0};
	struct err err;
	uint64_t n = 0, random = 1;
	double sum = 0, got = 0;
	bool sorted = true;

	check_case("more points than memory holds come in the order of time");
	for (uint64_t i = 0; i < MANY; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		point = (struct point){(int64_t)(random >> 40), (double)i,
				       i % SERIES};
		sum += (double)i;
		if (points_add(&p, point, &err) < 0)
			break;
	}
	CHECK_INT(points_sort(&p, &err), 0);
	while (points_next(&p, &point, &err) == 1) {
		sorted &= point.time > before.time ||
			  (point.time == before.time &&
			   (point.series > before.series ||
			    (point.series == before.series &&
			     point.value > before.value)));
		before = point;
		got += point.value;
		n++;
	}
	CHECK(sorted);
	CHECK_INT((int64_t)n, MANY);
	CHECK(got == sum);
	points_free(&p);
}

int main(void)
{
	lines = buf_new(1 << 20);
	check_formats();
	check_cells();
	check_errors();
	check_sorting();
	buf_free(&lines);
	return check_done();
}
