/*
 * What the catalogue is asked: a name, which is the first line, to be looked up
 * and explained; and the lines behind it, an exposition, to be folded and to be
 * summarised as a training step of each engine, "# EOF" ending a snapshot.
 *
 * A metric that is found must be explained, and be found by its own name. A
 * sample that comes twice in a row must count once.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/prom/prom_read.h"
#include "metrics/aggregate.h"
#include "metrics/step_table.h"
#include "sink/metrics/explain.h"
#include "sink/metrics/metric_sink.h"

#include "fuzz.h"

static int collect(void *b, const char *p, size_t n)
{
	buf_put(b, p, n);
	return 0;
}

/* Names ----------------------------------------------------------------- */

static size_t explain(struct str name)
{
	struct buf text = buf_new(MIB);
	struct out out;
	struct err err;
	size_t n;

	require(out_open_taker(&out, collect, &text, &err) == 0);
	n = explain_metric(&out, name);
	require(out_close(&out, &err) == 0);
	require((n > 0) == (text.n > 0));
	buf_free(&text);
	return n;
}

static void check_name(struct str name)
{
	struct buf similar = buf_new(MIB);
	struct str suffix, rest;
	const struct catalogue_row *row = catalogue_find_sample(name, &suffix);

	require(suffix.p + suffix.n == name.p + name.n);
	require((row != NULL) == (explain(name) > 0));
	if (row != NULL) {
		require(catalogue_find_sample(str_of(catalogue_name(row)),
					      &rest) != NULL);
		require(catalogue_at(catalogue_number(row)) == row);
		require(catalogue_now(row)->now < 0);
	}
	if (row == NULL && name.n < 16) /* it takes its time */
		explain_similar(&similar, name);
	buf_free(&similar);
}

/* Expositions ------------------------------------------------------------ */

static void ignore(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	(void)err;
}

struct feed {
	struct str left;
	struct aggregate aggregate;
	struct metric_sink *sink;
	double arrived;
	int times; /* that each sample is given */
};

static ssize_t read_some(void *source, void *p, size_t n)
{
	struct feed *f = source;

	n = n < f->left.n ? n : f->left.n;
	if (n > 0)
		memcpy(p, f->left.p, n);
	f->left = str_make(f->left.p + n, f->left.n - n);
	return (ssize_t)n;
}

static int take(struct feed *f, const struct prom_line *line, struct err *err)
{
	int times = line->kind == PROM_SAMPLE ? f->times : 1;
	int code = 0;

	if (line->kind == PROM_EOF) {
		code = aggregate_end(&f->aggregate, f->arrived++, true, f->sink,
				     err);
		return code < 0 ? code
				: aggregate_begin_part(&f->aggregate, "fuzz",
						       NULL, err);
	}
	while (code == 0 && times-- > 0)
		code = aggregate_line(&f->aggregate, line, 1, err);
	return code;
}

/* What becomes of the text, appended to b. */
static void run(struct buf *b, struct str text, const struct aggregate_how *how,
		int times)
{
	static struct feed f;
	struct report report = report_new(ignore, NULL);
	struct prom_reader r;
	struct prom_line line;
	struct out out;
	struct err err;
	int code = 1;

	f = (struct feed){.left = text, .arrived = 1, .times = times};
	r = prom_reader_new(read_some, &f, PROM_ALL_MILLISECONDS);
	require(out_open_taker(&out, collect, b, &err) == 0);
	f.sink = prom_out_new(&out, &err);
	aggregate_init(&f.aggregate, how, &report);
	aggregate_begin_part(&f.aggregate, "fuzz", NULL, &err);
	while (code != 0) {
		code = prom_next(&r, &line, &err);
		if (code == 1 && take(&f, &line, &err) < 0)
			break;
	}
	aggregate_end(&f.aggregate, f.arrived, false, f.sink, &err);
	f.sink->free(f.sink);
	out_close(&out, &err);
	aggregate_free(&f.aggregate);
	prom_reader_free(&r);
}

static void fold(struct str text)
{
	static const struct str by[] = {STR("worker_addr")};
	static const struct aggregate_how how = {
		.reduce = true, .reduction = {.labels = by, .n_labels = 1}};
	struct buf once = buf_new(64 * MIB);
	struct buf twice = buf_new(64 * MIB);

	run(&once, text, &how, 1);
	run(&twice, text, &how, 2);
	require(str_eq(buf_str(&once), buf_str(&twice)));
	buf_free(&once);
	buf_free(&twice);
}

enum { SUMMARIES_MAX = 8 };

/* The rows that a summary uses; they are found once. */
static const bool *rows_of(size_t summary)
{
	static bool *rows[SUMMARIES_MAX];

	require(summary < SUMMARIES_MAX);
	if (rows[summary] != NULL)
		return rows[summary];
	rows[summary] = calloc(catalogue_size(), sizeof(bool));
	require(rows[summary] != NULL);
	for (uint32_t i = 0; i < catalogue_size(); i++)
		rows[summary][i] =
			step_uses(step_summaries[summary], catalogue_at(i));
	return rows[summary];
}

static void summarise(struct str text)
{
	for (size_t i = 0; step_summaries[i] != NULL; i++) {
		const struct aggregate_how how = {
			.step = {
				.summary = step_summaries[i],
				.prefix = "p",
				.all_keys = true,
				.spread = true,
				.peak = 1,
				.rows = rows_of(i),
			}};
		struct buf b = buf_new(64 * MIB);

		run(&b, text, &how, 1);
		buf_free(&b);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);

	check_name(str_cut(&text, '\n'));
	fold(text);
	summarise(text);
	return 0;
}
