/*
 * A file as a source of bytes, decompressed when it is gzip (RFC 1952, through
 * zlib, which stays behind this file), else as it is.
 *
 * Members that follow one another are one text. A file that is truncated inside
 * a member, or whose CRC or length is wrong, is an error with the byte offset
 * in the file, after all bytes before it were given. Zeros after the last
 * member are ignored: copying in blocks leaves them. What is decompressed is
 * not kept: memory is two blocks.
 */
#ifndef OBS_FMT_FILE_GZIP_READ_H
#define OBS_FMT_FILE_GZIP_READ_H

#include <stdbool.h>

#include "base/err.h"
#include "base/source.h"

struct gzip_reader;

/* Open path as input_open does. NULL with err filled: ERR_IO or ERR_MEMORY. */
struct gzip_reader *gzip_reader_open(const char *path, struct err *err);
void gzip_reader_close(struct gzip_reader *reader); /* NULL is a no-op */

/* The bytes, which cannot be rewound: open the file again. */
struct byte_source *gzip_reader_source(struct gzip_reader *reader);

/* After the end: were there zeros after the last member? */
bool gzip_reader_is_padded(const struct gzip_reader *reader);

const char *gzip_version(void); /* of zlib: "1.2.13" */

#endif
