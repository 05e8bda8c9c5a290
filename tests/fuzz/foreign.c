/*
 * Any bytes as a file of each of the other frameworks' formats: it is read to
 * its end in blocks of any size, its rows are timelines and feed perf/, and a
 * format is detected alike however much of the input is known.
 */
#include <stdlib.h>

#include "rollout/foreign/foreign.h"
#include "rollout/perf.h"
#include "rollout/sample_trace.h"
#include "rollout/span.h"

static const struct foreign_format *const formats[] = {
	&sglang_log_format,   &otlp_format,
	&prime_format,	      &areal_sessions_format,
	&areal_traces_format, &miles_trajectories_format,
	&miles_phases_format, &nemo_format,
	&verl_format,	      &skyrl_format,
	&roll_format,
};

enum { FORMATS = sizeof(formats) / sizeof(*formats) };

struct blocks {
	struct byte_source source;
	struct str left;
	size_t size;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct blocks *blocks = (struct blocks *)source;
	size_t n = blocks->left.n < blocks->size ? blocks->left.n
						 : blocks->size;

	(void)err;
	*block = str_make(blocks->left.p, n);
	blocks->left = str_make(blocks->left.p + n, blocks->left.n - n);
	return n > 0;
}

/* Use a row as the programs do. */
static void use(struct perf *perf, struct sample *sample, struct arena *a)
{
	struct sample_trace trace, written;
	struct row row;
	struct err err = {0};

	if (sample_trace_read(&trace, sample, a, &err) < 0)
		return;
	span_build_read(sample, &trace, &row, &err);
	perf_add_requests(perf, NULL, sample, &trace, &err);
	perf_add_sample(perf, sample, &err);
	if (sample_trace_write(sample, a, &err) < 0 ||
	    sample_trace_read(&written, sample, a, &err) < 0 ||
	    written.count != trace.count ||
	    written.ids.count != trace.ids.count)
		abort();
}

/* Rows and errors of the bytes. */
static uint64_t read_all(const struct foreign_format *format, struct str bytes,
			 size_t size)
{
	struct blocks blocks = {
		{.next = next_block, .left = UINT64_MAX}, bytes, size};
	struct foreign *f = foreign_open(format, &blocks.source);
	struct perf *perf = perf_new();
	struct arena arena = arena_new(SIZE_MAX);
	uint64_t rows = 0, errors = 0;
	struct err err = {0};
	struct sample sample;
	int got = 1;

	while (got != 0 && foreign_can_continue(f)) {
		arena_reset(&arena);
		got = foreign_next(f, &arena, &sample, &err);
		rows += got > 0;
		errors += got < 0;
		if (got > 0)
			use(perf, &sample, &arena);
	}
	arena_free(&arena);
	perf_free(perf);
	foreign_close(f);
	return rows << 32 | errors;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct foreign_format *format;
	struct str text;

	if (n < 2)
		return 0;
	text = str_make((const char *)bytes + 1, n - 1);
	format = foreign_detect(text);
	if (format == NULL)
		format = formats[bytes[0] % FORMATS];
	if (read_all(format, text, SIZE_MAX) !=
	    read_all(format, text, (size_t)(bytes[0] % 64) + 1))
		abort();
	return 0;
}
