/*
 * Any bytes as an answer of SGLang: what is said of the request is the same
 * however the bytes come in pieces, and within its bounds.
 */
#include <stdlib.h>

#include "../unit/blocks.h"
#include "rollout/sglang_meta.h"

static struct sglang_meta read_in(struct str bytes, size_t size)
{
	struct blocks blocks = {
		{next_block, rewind_blocks, bytes.n}, bytes, 0, size, 0};
	struct sglang_meta meta = sglang_meta_new();
	struct err err = {0};

	sglang_meta_read(&meta, &blocks.source, &err);
	return meta;
}

static void check_same(struct value a, struct value b)
{
	if (a.kind != b.kind)
		abort();
	if ((a.kind == VALUE_STR || a.kind == VALUE_BIGINT) &&
	    !str_eq(value_text(a), value_text(b)))
		abort();
	if (a.kind == VALUE_INT && a.i != b.i)
		abort();
	if (a.kind == VALUE_ABSENT || a.kind == VALUE_BOOL ||
	    a.kind == VALUE_FLOAT || a.kind == VALUE_INT ||
	    a.kind == VALUE_STR || a.kind == VALUE_BIGINT)
		return;
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct sglang_meta whole = read_in(text, n + 1);
	struct sglang_meta parts = read_in(text, 1 + n % 7);

	for (size_t i = 0; i < SGLANG_PLAIN; i++)
		check_same(whole.plain[i], parts.plain[i]);
	for (size_t i = 0; i < SGLANG_SUMMARY; i++)
		check_same(whole.summary[i], parts.summary[i]);
	for (size_t p = 0; p < SGLANG_PHASES; p++)
		for (size_t i = 0; i < SGLANG_SEGMENTS; i++)
			if (!(whole.seconds[p][i] >= 0) ||
			    whole.seconds[p][i] != parts.seconds[p][i])
				abort();
	sglang_meta_free(&whole);
	sglang_meta_free(&parts);
	return 0;
}
