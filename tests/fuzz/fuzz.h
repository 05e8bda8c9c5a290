/*
 * What fuzz targets share: a check that holds without NDEBUG, and the input as
 * what a reader of a stream reads from.
 */
#ifndef OBS_TESTS_FUZZ_FUZZ_H
#define OBS_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds)
{
	if (!holds)
		abort();
}

/* An io_read_fn of a struct str, which is what is left to read. */
static inline ssize_t read_text(void *source, void *p, size_t n)
{
	struct str *left = source;

	n = n < left->n ? n : left->n;
	if (n > 0)
		memcpy(p, left->p, n);
	*left = str_make(left->p + n, left->n - n);
	return (ssize_t)n;
}

#endif
