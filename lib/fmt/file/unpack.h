/*
 * Decompress what arrives in pieces: gzip (RFC 1952), or what HTTP calls
 * deflate, which is zlib (RFC 1950) and, from some servers, bare deflate
 * (RFC 1951). zlib stays behind this file.
 *
 * The end of the stream is seen, and its checksum and length are checked:
 * data that stops before it is truncated, never a shorter text. Several gzip
 * members after one another are one text, and any of them may be empty. Other
 * bytes after the last are an error.
 *
 * Nothing is kept of what was decompressed: it goes to the taker in pieces of
 * some KiB, so that a decompression bomb can be stopped at any size.
 */
#ifndef OBS_FMT_FILE_UNPACK_H
#define OBS_FMT_FILE_UNPACK_H

#include "base/err.h"
#include "base/str.h"

enum unpack_format { UNPACK_GZIP, UNPACK_DEFLATE };

/* Where the text goes: returns 0, or a negative code with err filled. */
struct unpack_taker {
	int (*take)(void *taker, struct str piece, struct err *err);
	void *taker;
};

struct unpacker;

/* NULL when memory ran out. */
struct unpacker *unpack_open(enum unpack_format format,
			     struct unpack_taker taker);

/* The next piece of input. Returns 0, ERR_INPUT, ERR_MEMORY, or what the
 * taker returned. */
int unpack_put(struct unpacker *unpacker, struct str piece, struct err *err);

/* The input is over: 0, or ERR_INPUT when it is truncated. No input at all is
 * an empty text. */
int unpack_end(const struct unpacker *unpacker, struct err *err);

void unpack_close(struct unpacker *unpacker); /* NULL is a no-op */

/* Does text begin as gzip does? No text of this world does. */
static inline bool unpack_is_gzip(struct str text)
{
	return str_starts(text, "\x1f\x8b");
}

#endif
