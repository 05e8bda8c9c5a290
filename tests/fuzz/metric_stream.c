/*
 * Any bytes as a stream of metrics: the lines must be the same in one block
 * and byte by byte, and the hash of each that of its labels.
 */
#include <stdlib.h>

#include "../unit/piece.h"
#include "base/buf.h"
#include "base/limits.h"
#include "metrics/stream/metric_stream.h"

static void put_line(struct buf *b, const struct prom_line *line)
{
	uint64_t hash = 0;

	buf_printf(b, "%d %.*s %.17g %.0Lf", line->kind, STR_ARG(line->name),
		   line->value, line->time);
	for (size_t i = 0; i < line->n_labels; i++) {
		const struct prom_label *label = &line->labels[i];

		buf_printf(b, " %.*s=%.*s", STR_ARG(label->name),
			   STR_ARG(label->value));
		hash += prom_label_hash(label);
	}
	if (line->kind == PROM_SAMPLE && hash != line->hash)
		abort();
	buf_putc(b, '\n');
}

static void read_all(struct buf *b, struct str text, size_t most, bool latest)
{
	struct piece piece = {text, most};
	struct metric_stream s =
		metric_stream_new(read_piece, &piece, PROM_BY_STREAM, latest);
	struct prom_line line;
	struct err err;
	int code;

	do {
		code = metric_stream_next(&s, &line, &err);
		if (code == 1)
			put_line(b, &line);
		else if (code < 0)
			buf_printf(b, "%lld %s\n", (long long)err.at, err.text);
	} while (code == 1 || code == ERR_INPUT || code == ERR_LIMIT);
	metric_stream_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct buf whole = buf_new(64 * MIB);
	struct buf bytewise = buf_new(64 * MIB);

	read_all(&whole, text, SIZE_MAX, false);
	read_all(&bytewise, text, 1, false);
	if (!str_eq(buf_str(&whole), buf_str(&bytewise)))
		abort();
	buf_clear(&whole);
	read_all(&whole, text, SIZE_MAX, true);
	buf_free(&whole);
	buf_free(&bytewise);
	return 0;
}
