/*
 * Any bytes as a dump: the samples must be the same whether they come in one
 * block or byte by byte, and what is written of them must parse again.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "fmt/json/json_value.h"

struct blocks {
	struct byte_source source;
	struct str left;
	size_t size;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct blocks *b = (struct blocks *)source;
	size_t n = b->left.n < b->size ? b->left.n : b->size;

	(void)err;
	*block = str_make(b->left.p, n);
	b->left = str_make(b->left.p + n, b->left.n - n);
	return n > 0;
}

static void put_value(struct buf *b, struct value v)
{
	struct err err;
	struct out out;
	struct json_writer w;

	if (out_open_buf(&out, b, &err) != 0)
		return;
	w = json_writer_on(&out);
	json_put_value(&w, v, JSON_KEYS_NATIVE);
	json_end_line(&w);
	out_close_buf(&out, b, &err);
}

static void must_parse(struct str text)
{
	struct arena arena = arena_new(256 * MIB);
	struct value v;
	struct err err;

	if (json_parse(text, &arena, &v, &err) != 0)
		abort();
	arena_free(&arena);
}

static void read_all(struct buf *b, struct str text, size_t size)
{
	static const struct str wanted[] = {STR("a"), STR("trace")};
	static const struct value_filter filter = {
		.wanted = wanted, .count = 2, .summed = STR("m")};
	struct blocks blocks = {{.next = next_block}, text, size};
	struct json_reader *r = json_open(&blocks.source, &filter);
	struct arena arena = arena_new(256 * MIB);
	struct value sample;
	struct err err;
	int rc;

	do {
		size_t start = b->n;

		arena_reset(&arena);
		rc = json_next_sample(r, &arena, &sample, &err);
		if (rc == 1) {
			put_value(b, sample);
			must_parse(str_make(b->p + start, b->n - start));
		} else if (rc < 0) {
			buf_printf(b, "%d %d %lld %s\n", err.code, err.unit,
				   (long long)err.at, err.text);
		}
	} while (rc == 1 || (rc < 0 && json_can_continue(r)));
	json_close(r);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct buf whole = buf_new(64 * MIB);
	struct buf bytewise = buf_new(64 * MIB);

	read_all(&whole, text, n);
	read_all(&bytewise, text, 1);
	if (!str_eq(buf_str(&whole), buf_str(&bytewise)))
		abort();
	buf_free(&whole);
	buf_free(&bytewise);
	return 0;
}
