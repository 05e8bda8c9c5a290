/*
 * Any bytes as a pickle: the elements must be the same whether it comes in
 * one block or byte by byte, so that no operation depends on where a block
 * ends, and what they are must have a form in JSON.
 */
#include <stdlib.h>

#include "../unit/blocks.h"
#include "base/buf.h"
#include "base/limits.h"
#include "fmt/json/json_text.h"
#include "fmt/pickle/pickle.h"
#include "fmt/value/value_records.h"

static void put_value(struct buf *b, struct value v)
{
	struct err err;

	json_text(b, v, &err);
	buf_putc(b, '\n');
}

static void put_mask(struct buf *b, struct value element)
{
	struct value mask = value_get(element, "m");

	if (mask.kind == VALUE_SKIPPED && mask.skipped != NULL)
		buf_printf(b, "%llu %g\n",
			   (unsigned long long)mask.skipped->count,
			   mask.skipped->sum);
}

static void read_all(struct buf *b, struct str bytes, size_t size)
{
	static const struct str wanted[] = {STR("a"), STR("trace")};
	static const struct str members[] = {STR("a"), STR("ts")};
	static const struct value_filter filter = {.wanted = wanted,
						   .count = 2,
						   .summed = STR("m"),
						   .records = STR("trace"),
						   .list = STR("events"),
						   .members = members,
						   .n_members = 2};
	struct blocks blocks = {
		{next_block, rewind_blocks, bytes.n}, bytes, 0, size, 0};
	struct pickle *r = pickle_open(&blocks.source, &filter);
	struct value element;
	struct err err = {0};
	int rc;

	for (;;) {
		rc = pickle_next(r, &element, &err);
		if (rc != 1)
			break;
		put_value(b, element);
		put_mask(b, element);
		if (pickle_records(r) != NULL)
			value_records_release(pickle_records(r));
		put_value(b, element);
	}
	put_value(b, pickle_top_get(r, "a"));
	if (rc < 0)
		buf_printf(b, "%d %d %lld %s\n", err.code, err.unit,
			   (long long)err.at, err.text);
	pickle_close(r);
}

static void skip_one(struct str bytes)
{
	struct blocks blocks = {
		{next_block, rewind_blocks, bytes.n}, bytes, 0, 7, 0};
	struct err err;
	uint64_t size;

	if (pickle_skip_one(&blocks.source, NULL, &size, &err) == 0 &&
	    size > bytes.n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct buf whole = buf_new(64 * MIB);
	struct buf bytewise = buf_new(64 * MIB);

	read_all(&whole, text, n + 1);
	read_all(&bytewise, text, 1);
	if (!str_eq(buf_str(&whole), buf_str(&bytewise)))
		abort();
	skip_one(text);
	buf_free(&whole);
	buf_free(&bytewise);
	return 0;
}
