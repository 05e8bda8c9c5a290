/*
 * A source of bytes that comes in blocks and can be read once more.
 *
 * next gives the next block, valid until the following call: 1, 0 at the end,
 * or an error. rewind goes back to the first byte. left is an upper bound of
 * the bytes still to come where that is known, else UINT64_MAX; a length that
 * the input claims is checked against it before memory is asked for.
 */
#ifndef OBS_BASE_SOURCE_H
#define OBS_BASE_SOURCE_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct byte_source {
	int (*next)(struct byte_source *source, struct str *block,
		    struct err *err);
	int (*rewind)(struct byte_source *source, struct err *err);
	uint64_t left;
};

/* A text in memory, which is borrowed, as a source of one block. It cannot be
 * rewound. */
struct text_source {
	struct byte_source source;
	struct str left;
};

struct text_source text_source_of(struct str text);

#endif
