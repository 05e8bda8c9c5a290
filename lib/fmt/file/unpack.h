/*
 * Decompress data that arrives in pieces: gzip (RFC 1952), or what HTTP calls
 * deflate, which is zlib (RFC 1950) and, from some servers, bare deflate
 * (RFC 1951). Only this file includes zlib.
 *
 * The stream must end, with the right checksum and length: data that stops
 * earlier is an error, never a shorter text. Consecutive gzip members are one
 * text, and any of them may be empty. Other bytes after the last are an error.
 *
 * Output goes to the taker in pieces of some KiB and is not kept, so a
 * decompression bomb can be stopped at any size.
 */
#ifndef OBS_FMT_FILE_UNPACK_H
#define OBS_FMT_FILE_UNPACK_H

#include "base/err.h"
#include "base/str.h"

enum unpack_format { UNPACK_GZIP, UNPACK_DEFLATE };

/* The consumer of the text: returns 0, or a negative code with err filled. */
struct unpack_taker {
	int (*take)(void *taker, struct str piece, struct err *err);
	void *taker;
};

struct unpacker;

/* NULL if out of memory */
struct unpacker *unpack_open(enum unpack_format format,
			     struct unpack_taker taker);

/* The next piece of input. Returns 0, ERR_INPUT, ERR_MEMORY, or the taker's
 * result. */
int unpack_put(struct unpacker *unpacker, struct str piece, struct err *err);

/* The end of the input: 0, or ERR_INPUT if it is truncated. No input at all is
 * an empty text. */
int unpack_end(const struct unpacker *unpacker, struct err *err);

void unpack_close(struct unpacker *unpacker); /* NULL is a no-op */

/* Does text begin with gzip's magic bytes? No real text does. */
static inline bool unpack_is_gzip(struct str text)
{
	return str_starts(text, "\x1f\x8b");
}

#endif
