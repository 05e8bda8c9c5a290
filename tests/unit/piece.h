/*
 * A text in memory as the source of a reader of metrics, which is given a few
 * bytes at once: for tests.
 */
#ifndef OBS_TESTS_PIECE_H
#define OBS_TESTS_PIECE_H

#include <string.h>
#include <sys/types.h>

#include "base/str.h"

struct piece {
	struct str left;
	size_t most; /* bytes given at once */
};

static ssize_t read_piece(void *source, void *p, size_t n)
{
	struct piece *piece = source;

	n = n < piece->most ? n : piece->most;
	n = n < piece->left.n ? n : piece->left.n;
	if (n == 0)
		return 0;
	memcpy(p, piece->left.p, n);
	piece->left = str_skip(piece->left, n);
	return (ssize_t)n;
}

#endif
