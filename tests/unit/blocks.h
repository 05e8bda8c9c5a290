/*
 * A byte source over text in memory, handed out in blocks of one size and
 * counting how often it is read again: for tests of readers.
 */
#ifndef OBS_TESTS_BLOCKS_H
#define OBS_TESTS_BLOCKS_H

#include "base/source.h"

struct blocks {
	struct byte_source source;
	struct str whole;
	size_t at;
	size_t size;
	int readings;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct blocks *b = (struct blocks *)source;
	size_t left = b->whole.n - b->at;
	size_t n = left < b->size ? left : b->size;

	(void)err;
	*block = str_make(b->whole.p + b->at, n);
	b->at += n;
	source->left = b->whole.n - b->at;
	return n > 0;
}

static int rewind_blocks(struct byte_source *source, struct err *err)
{
	struct blocks *b = (struct blocks *)source;

	(void)err;
	b->at = 0;
	b->readings++;
	source->left = b->whole.n;
	return 0;
}

#endif
