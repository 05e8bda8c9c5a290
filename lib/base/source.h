/*
 * A source of bytes, read in blocks, that can be rewound.
 *
 * next returns 1 with the next block, valid until the following call, 0 at the
 * end, or an error. rewind goes back to the first byte. left is an upper bound
 * of the remaining bytes, UINT64_MAX if unknown; a length claimed by the input
 * is checked against it before allocating.
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

/* A borrowed text as a source of one block. It cannot be rewound. */
struct text_source {
	struct byte_source source;
	struct str left;
};

struct text_source text_source_of(struct str text);

#endif
