/*
 * A file as a source of bytes, decompressed if it is gzip (RFC 1952, through
 * zlib, which only this file includes), else unchanged.
 *
 * Consecutive members are one text. A file that is truncated inside a member,
 * or whose CRC or length is wrong, is an error with the byte offset in the
 * file, returned after all bytes before it. Zeros after the last member are
 * ignored: copying in blocks leaves them. Memory use is two blocks.
 */
#ifndef OBS_FMT_FILE_GZIP_READ_H
#define OBS_FMT_FILE_GZIP_READ_H

#include <stdbool.h>

#include "base/err.h"
#include "base/source.h"

struct gzip_reader;

/* Open path like input_open. NULL with err filled: ERR_IO or ERR_MEMORY. */
struct gzip_reader *gzip_reader_open(const char *path, struct err *err);
void gzip_reader_close(struct gzip_reader *reader); /* NULL is a no-op */

/* The bytes, which cannot be rewound: open the file again. */
struct byte_source *gzip_reader_source(struct gzip_reader *reader);

/* At the end: were there zeros after the last member? */
bool gzip_reader_is_padded(const struct gzip_reader *reader);

const char *gzip_version(void); /* zlib's: "1.2.13" */

#endif
