#include "metrics/strips.h"

#include <math.h>

#include "check.h"
#include "piece.h"

static void ignore(void *to, const struct err *err)
{
	(void)to;
	(void)err;
}

static int read_text(struct strips *s, const char *text)
{
	struct piece piece = {str_of(text), SIZE_MAX};
	struct metric_stream stream =
		metric_stream_new(read_piece, &piece, PROM_BY_STREAM, false);
	struct err err;
	int code = strips_read(s, &stream, str_of("file"), ignore, NULL, &err);

	metric_stream_free(&stream);
	return code;
}

static const struct strip_line *line_of(struct strips *s, const char *key,
					size_t i)
{
	struct strip *strip = strips_find(s, str_of(key));

	return strip == NULL || i >= strip->n ? NULL : &strip->lines[i];
}

static void check_thinning(void)
{
	enum { MANY = 100000 };
	struct strips s;
	struct err err;
	struct strip *strip;
	const struct strip_line *line;
	bool sorted = true, peak = false, valley = false;

	check_case("a long line is thinned, its extremes stay");
	CHECK_INT(strips_init(&s, 0, MANY, NULL, 0, &err), 0);
	strip = strips_add(&s, str_of("x"), str_of("x"), str_of(""));
	for (int i = 0; i < MANY; i++) {
		double value = i == 77777 ? 9 : i == 12345 ? -9 : sin(i);
		struct strip_point point = {i, value};

		if (strips_put(&s, strip, 1, str_of("w"), point, &err) < 0)
			break;
	}
	CHECK_INT(strips_settle(&s, &err), 0);
	line = line_of(&s, "x", 0);
	CHECK(line != NULL && line->n <= 2 * STRIP_BINS + 4 &&
	      line->n > STRIP_BINS);
	for (size_t i = 0; line != NULL && i < line->n; i++) {
		sorted &= i == 0 || line->v[i].time > line->v[i - 1].time;
		peak |= line->v[i].value == 9 && line->v[i].time == 77777;
		valley |= line->v[i].value == -9 && line->v[i].time == 12345;
	}
	CHECK(sorted);
	CHECK(peak);
	CHECK(valley);
	strips_free(&s);

	check_case("points come in order, and one beyond either end stays");
	CHECK_INT(strips_init(&s, 100, 200, NULL, 0, &err), 0);
	strip = strips_add(&s, str_of("x"), str_of("x"), str_of(""));
	for (int i = 19; i >= 0; i--)
		strips_put(&s, strip, 1, str_of("w"),
			   (struct strip_point){20 * i, i}, &err);
	CHECK_INT(strips_settle(&s, &err), 0);
	line = line_of(&s, "x", 0);
	CHECK(line != NULL && line->n == 8);
	CHECK(line != NULL && line->v[0].time == 80 &&
	      line->v[line->n - 1].time == 220);
	strips_free(&s);
}

static void check_one_point(void)
{
	enum { MANY = 3 * STRIP_BINS }; /* thinned at the end */
	struct strips s;
	struct err err;
	struct strip *strip;
	const struct strip_line *line;

	check_case("a line of one point stays");
	CHECK_INT(strips_init(&s, 100, 200, NULL, 0, &err), 0);
	strip = strips_add(&s, str_of("x"), str_of("x"), str_of(""));
	strips_put(&s, strip, 1, str_of("w"), (struct strip_point){150, 7},
		   &err);
	CHECK_INT(strips_settle(&s, &err), 0);
	line = line_of(&s, "x", 0);
	CHECK(line != NULL && line->n == 1 && line->v[0].time == 150 &&
	      line->v[0].value == 7);
	strips_free(&s);

	check_case("a bin of one point has it once");
	CHECK_INT(strips_init(&s, 0, 100, NULL, 0, &err), 0);
	strip = strips_add(&s, str_of("x"), str_of("x"), str_of(""));
	for (int i = 0; i < MANY; i++)
		strips_put(&s, strip, 1, str_of("w"),
			   (struct strip_point){i * 50.0 / MANY, i % 7}, &err);
	strips_put(&s, strip, 1, str_of("w"), (struct strip_point){90, 3},
		   &err);
	CHECK_INT(strips_settle(&s, &err), 0);
	line = line_of(&s, "x", 0);
	CHECK(line != NULL && line->n == STRIP_BINS + 1 &&
	      line->v[line->n - 1].time == 90 &&
	      line->v[line->n - 2].time < 50);
	strips_free(&s);
}

#define AT(second, running, tokens)                                            \
	"sglang:num_running_reqs{worker_addr=\"a\"} " running " " second       \
	"000\nsglang:generation_tokens_total{worker_addr=\"a\"} " tokens       \
	" " second "000\nodd_bytes_total " tokens " " second "000\n# EOF\n"

static void check_reading(void)
{
	static const char *const globs[] = {"odd_*", "none"};
	struct strips s;
	struct err err;
	const struct strip_line *line;

	check_case("vital signs of a worker, and rates of what is counted");
	CHECK_INT(strips_init(&s, 10, 20, globs, 2, &err), 0);
	CHECK_INT(read_text(&s, "# obs-scrape stream\n" AT("9", "3", "10")
					AT("14", "5", "60") AT("19", "2", "70")
						AT("900", "1", "80")),
		  0);
	CHECK_INT(strips_settle(&s, &err), 0);
	line = line_of(&s, "running", 0);
	CHECK(line != NULL && line->n == 3);
	CHECK(line != NULL && line->v[1].time == 14 && line->v[1].value == 5);
	CHECK(line != NULL && str_is(line->worker, "a"));
	line = line_of(&s, "tokens", 0);
	CHECK(line != NULL && line->n == 2 && line->v[0].value == 10 &&
	      line->v[1].value == 2);
	CHECK(line_of(&s, "queue", 0) == NULL);
	check_case("a metric by a glob, of a worker without a name");
	line = line_of(&s, "odd_bytes_total", 0);
	CHECK(line != NULL && line->n == 2 && line->v[0].value == 10);
	CHECK(line != NULL && str_is(line->worker, "file"));
	CHECK_STR(str_of(strips_unmatched(&s)), "none");
	check_case("how far the stream reaches");
	CHECK(s.first == 9 && s.last == 900);
	strips_free(&s);

	check_case("an engine that begins again has no rate");
	CHECK_INT(strips_init(&s, 10, 20, NULL, 0, &err), 0);
	CHECK_INT(read_text(&s, "# obs-scrape stream\n" AT("11", "3", "60")
					AT("14", "5", "6") AT("15", "2", "7")),
		  0);
	CHECK_INT(strips_settle(&s, &err), 0);
	line = line_of(&s, "tokens", 0);
	CHECK(line != NULL && line->n == 1 && line->v[0].time == 15 &&
	      line->v[0].value == 1);
	strips_free(&s);

	check_case("without timestamps nothing can be placed");
	CHECK_INT(strips_init(&s, 10, 20, NULL, 0, &err), 0);
	CHECK_INT(read_text(&s, "sglang:num_running_reqs 1\n"), 0);
	CHECK_INT((int64_t)s.unstamped, 1);
	CHECK(isnan(s.first));
	strips_free(&s);
}

int main(void)
{
	check_thinning();
	check_one_point();
	check_reading();
	return check_done();
}
