/*
 * Any bytes as an exposition: the lines must be the same whether they come in
 * one block, byte by byte or from a mapped file, and each as if it were the first, what is written
 * of them must read back equal, and a reduction of them must not fail.
 */
#include <math.h>
#include <stdlib.h>

#include "../unit/piece.h"
#include "base/buf.h"
#include "base/limits.h"
#include "fmt/prom/prom_read.h"
#include "fmt/prom/prom_text.h"
#include "metrics/aggregate.h"
#include "sink/metrics/metric_sink.h"

enum { MAPPED = 0, MAPPED_MAX = 64 * 1024 /* no page is left */ };

static void put_line(struct buf *b, const struct prom_line *line)
{
	char time[PROM_NUMBER_MAX] = "";
	uint64_t bits;

	memcpy(&bits, &line->value, sizeof(bits));
	if (line->kind == PROM_SAMPLE && !isnan(line->time))
		prom_put_time(time, line->time);
	buf_printf(b, "%d %d %.*s %.*s %zu %llx %.20s", line->kind, line->type,
		   STR_ARG(line->name), STR_ARG(line->help), line->n_labels,
		   (unsigned long long)(line->kind == PROM_SAMPLE ? bits : 0),
		   time);
	for (size_t i = 0; i < line->n_labels; i++)
		buf_printf(b, " %.*s=%.*s", STR_ARG(line->labels[i].name),
			   STR_ARG(line->labels[i].value));
	buf_putc(b, '\n');
}

static void read_all(struct buf *b, struct str text, size_t most)
{
	struct piece piece = {text, most};
	struct prom_reader r =
		prom_reader_new(read_piece, &piece, PROM_BY_STREAM);
	struct prom_line line;
	struct err err;
	int code;

	if (most == MAPPED)
		prom_reader_borrow(&r, text);
	do {
		code = prom_next(&r, &line, &err);
		if (code == 1)
			put_line(b, &line);
		else if (code < 0)
			buf_printf(b, "%lld %s\n", (long long)err.at, err.text);
	} while (code == 1 || code == ERR_INPUT || code == ERR_LIMIT);
	prom_reader_free(&r);
}

static void parse_line(struct buf *b, struct prom_parser *parser,
		       struct str text)
{
	struct prom_line line;
	struct err err;

	if (prom_parse(parser, text, PROM_MILLISECONDS, &line, &err) < 0) {
		buf_printf(b, "%s", err.text);
		return;
	}
	put_line(b, &line);
	for (size_t i = 0; i < line.n_labels; i++) {
		const struct prom_label *label = &line.labels[i];
		struct prom_label bare =
			prom_label_of(label->name, label->value);

		if (prom_label_hash(label) != prom_label_hash(&bare))
			abort();
	}
}

/* A line is read as if none had come before. */
static void must_not_remember(struct str text)
{
	struct prom_parser used = prom_parser_new();
	struct buf a = buf_new(64 * MIB);
	struct buf b = buf_new(64 * MIB);

	while (text.n > 0) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t n = lf == NULL ? text.n : (size_t)(lf - text.p);
		struct prom_parser fresh = prom_parser_new();

		buf_clear(&a);
		buf_clear(&b);
		parse_line(&a, &used, str_make(text.p, n));
		parse_line(&b, &fresh, str_make(text.p, n));
		if (!str_eq(buf_str(&a), buf_str(&b)))
			abort();
		prom_parser_free(&fresh);
		n += n < text.n;
		text = str_make(text.p + n, text.n - n);
	}
	prom_parser_free(&used);
	buf_free(&a);
	buf_free(&b);
}

static void ignore(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	(void)err;
}

static int collect(void *b, const char *p, size_t n)
{
	buf_put(b, p, n);
	return 0;
}

/* Aggregate text and append what is written to b. */
static void aggregate(struct buf *b, struct str text,
		      const struct aggregate_how *how)
{
	static struct aggregate a;
	struct report report = report_new(ignore, NULL);
	struct piece piece = {text, SIZE_MAX};
	struct prom_reader r =
		prom_reader_new(read_piece, &piece, PROM_ALL_MILLISECONDS);
	struct prom_line line;
	struct metric_sink *sink;
	struct out out;
	struct err err;
	int code;

	out_open_taker(&out, collect, b, &err);
	sink = prom_out_new(&out, &err);
	aggregate_init(&a, how, &report);
	aggregate_begin_part(&a, "fuzz", NULL, &err);
	for (code = 1; code != 0;) {
		code = prom_next(&r, &line, &err);
		if (code == 1 && aggregate_line(&a, &line, r.line, &err) < 0)
			break;
	}
	aggregate_end(&a, 1, false, sink, &err);
	sink->free(sink);
	out_close(&out, &err);
	aggregate_free(&a);
	prom_reader_free(&r);
}

/* A fingerprint of the lines, in whatever order: where nothing has a TYPE, the
 * order of families depends on what is met first. */
static uint64_t lines_of(const struct buf *b)
{
	const char *p = buf_str(b).p;
	const char *end = p + b->n;
	uint64_t sum = 0;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		lf = lf == NULL ? end : lf;
		sum += hash_bytes(p, (size_t)(lf - p), 0);
		p = lf + (lf < end);
	}
	return sum;
}

/* What was merged once is merged: a second time changes no line. */
static void must_stay(struct str text)
{
	static const struct aggregate_how as_it_is = {0};
	struct buf once = buf_new(64 * MIB);
	struct buf twice = buf_new(64 * MIB);

	aggregate(&once, text, &as_it_is);
	aggregate(&twice, buf_str(&once), &as_it_is);
	if (lines_of(&once) != lines_of(&twice))
		abort();
	buf_free(&once);
	buf_free(&twice);
}

/* A reduction does not fail, whatever it is given. */
static void must_reduce(struct str text)
{
	static const struct str by[] = {STR("a")};
	static const double quantiles[] = {0, 0.5, 1};
	static const struct aggregate_how how = {
		.reduce = true,
		.reduction = {.labels = by,
			      .n_labels = 1,
			      .quantiles = quantiles,
			      .n_quantiles = 3}};
	struct buf b = buf_new(64 * MIB);

	aggregate(&b, text, &how);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct buf whole = buf_new(64 * MIB);
	struct buf bytewise = buf_new(64 * MIB);

	read_all(&whole, text, SIZE_MAX);
	read_all(&bytewise, text, 1);
	if (!str_eq(buf_str(&whole), buf_str(&bytewise)))
		abort();
	buf_clear(&bytewise);
	read_all(&bytewise, text, n < MAPPED_MAX ? MAPPED : SIZE_MAX);
	if (!str_eq(buf_str(&whole), buf_str(&bytewise)))
		abort();
	buf_free(&whole);
	buf_free(&bytewise);
	must_not_remember(text);
	must_stay(text);
	must_reduce(text);
	return 0;
}
