/*
 * Any bytes as an engine's exposition: whether they are one is decided without
 * reading beyond them, and each figure of its histograms is found by its key; a
 * count is above 0.
 */
#include <math.h>

#include "fmt/prom/prom_read.h"
#include "metrics/merge.h"
#include "rollout/prom_perf.h"

#include "fuzz.h"

static const double percentiles[] = {0, 50, 99.9, 100};
static const struct perf_wanted wanted = {.percentiles = percentiles,
					  .percentile_count = 4};

static void say_nothing(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	require(err->text[0] != '\0');
}

/* Lines that are not of the format are skipped. */
static int read_all(struct series_table *table, struct str text)
{
	struct merge merge = merge_new(table, NULL);
	struct prom_reader reader =
		prom_reader_new(read_text, &text, PROM_ALL_MILLISECONDS);
	struct prom_line line;
	struct err err;
	int code, fatal = 0;

	do {
		code = prom_next(&reader, &line, &err);
		if (code > 0)
			fatal = merge_line(&merge, &line, reader.line, &err);
	} while (fatal == 0 &&
		 (code > 0 || code == ERR_INPUT || code == ERR_LIMIT));
	prom_reader_free(&reader);
	merge_free(&merge);
	return fatal < 0 ? fatal : code;
}

static void check_figures(const struct figures *figures)
{
	for (size_t i = 0; i < figures->n; i++) {
		const struct figure *f = &figures->v[i];

		require(str_starts(str_of(f->key), "perf/"));
		if (isfinite(f->value))
			require(figures_find(figures, str_of(f->key)) == f);
		if (f->count)
			require(f->value > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct report report = report_new(say_nothing, NULL);
	struct naming naming = {0};
	struct series_table table;
	struct figures figures = figures_new();
	struct err err = {0};

	prom_perf_detect(text);
	series_table_init(&table, &naming, &report);
	if (names_begin_part(&table.names, "input", &err) == 0 &&
	    read_all(&table, text) == 0) {
		require(prom_perf(&table, &wanted, &figures, &err) == 0);
		check_figures(&figures);
	}
	figures_free(&figures);
	series_table_free(&table);
	return 0;
}
