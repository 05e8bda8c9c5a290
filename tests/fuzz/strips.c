/*
 * Any bytes as a stream of metrics beside a timeline: the points of a line are
 * in order and within the window and its margin, and no more than are drawn.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "metrics/strips.h"

#include "fuzz.h"

static const double FROM = 1700000000, TO = 1700000060;

static void say_nothing(void *to, const struct err *err)
{
	(void)to;
	require(err->text[0] != '\0');
}

static void check_line(const struct strip_line *line)
{
	require(line->n > 0);
	for (size_t i = 1; i < line->n; i++)
		require(line->v[i - 1].time <= line->v[i].time);
}

static void check(const struct strips *s)
{
	for (size_t i = 0; i < s->n; i++) {
		require(s->v[i].n > 0);
		for (size_t k = 0; k < s->v[i].n; k++)
			check_line(&s->v[i].lines[k]);
	}
	strips_unmatched(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const globs[] = {"*time*", "reqs?total"};
	struct str left = str_make((const char *)data, size);
	struct metric_stream stream =
		metric_stream_new(read_text, &left, PROM_BY_STREAM, false);
	struct strips strips;
	struct err err = {0};
	int code = strips_init(&strips, FROM, TO, globs, 2, &err);

	if (code == 0)
		code = strips_read(&strips, &stream, str_of("stdin"),
				   say_nothing, NULL, &err);
	if (code == 0 && strips_settle(&strips, &err) == 0)
		check(&strips);
	strips_free(&strips);
	metric_stream_free(&stream);
	return 0;
}
