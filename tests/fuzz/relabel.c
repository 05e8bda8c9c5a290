/*
 * Bodies of targets, twice, as one snapshot: bits of the first byte pick what
 * is added and how, the rest is the body. What is written must read back
 * without a bad line, with as many samples as were counted, each with the
 * label that was added.
 */
#include <stdint.h>
#include <stdlib.h>

#include "metrics/relabel.h"

#include "fuzz.h"

static const struct prom_label labels[] = {
	{.name = STR("worker_addr"), .value = STR("http://[::1]:1/\"\\\n")},
	{.name = STR("job"), .value = STR("j")},
};

static bool is_labelled(const struct prom_line *line)
{
	for (size_t i = 0; i < line->n_labels; i++)
		if (str_is(line->labels[i].name, "worker_addr"))
			return true;
	return false;
}

static uint64_t read_back(struct prom_parser *parser, struct str text)
{
	const char *end = text.p + text.n;
	uint64_t samples = 0;
	struct prom_line line;
	struct err err;

	for (const char *p = text.p; p < end; p++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		require(lf != NULL);
		require(prom_parse(parser, str_make(p, (size_t)(lf - p)),
				   PROM_MILLISECONDS, &line, &err) == 0);
		if (line.kind == PROM_SAMPLE) {
			require(is_labelled(&line));
			samples++;
		}
		p = lf;
	}
	return samples;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct relabeler r = relabel_new();
	struct prom_parser parser = prom_parser_new();
	uint8_t bits = size > 0 ? data[0] : 0;
	struct relabel_rules rules = {.labels = labels,
				      .n = 1 + (bits & 1),
				      .honor = bits & 2,
				      .strict = bits & 4,
				      .stamped = bits & 8,
				      .stamp = -1};
	struct relabel_body body = {.text = {(const char *)data + 1, size - 1},
				    .type = bits & 16 ? "openmetrics" : "",
				    .end_known = bits & 32};
	struct relabel_counts counts;
	struct err err;

	for (int i = 0; i < 2 && size > 1; i++) {
		int rc = relabel_copy(&r, &body, &rules, &counts, &err);

		if (rc < 0)
			require(r.text.n == 0);
		else if (r.text.n > 0)
			require(read_back(&parser,
					  (struct str){r.text.p, r.text.n}) ==
				counts.samples);
	}
	prom_parser_free(&parser);
	relabel_free(&r);
	return 0;
}
