/*
 * Zip archives (APPNOTE.TXT 6.3, 4.3.7 and 4.3.12 to 4.3.16; 4.5.3 for zip64),
 * stored or deflated: lists entries by name, reads one as a source of bytes or
 * a few bytes of any.
 *
 * Sizes and offsets are those of the central directory, checked against the
 * file and the copies in local headers. There may be bytes before and after an
 * archive.
 */
#ifndef OBS_FMT_FILE_ZIP_H
#define OBS_FMT_FILE_ZIP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/source.h"

struct zip_entry;

struct zip {
	int fd; /* borrowed */
	/* The end of the last end record that matches a central directory,
	 * without its comment, searched in the last 1 MiB plus a comment; the
	 * file size if there is none. */
	uint64_t end;
	struct intern names; /* as in the central directory, each once */
	struct zip_entry *entries;
	size_t cap;
};

/* Read the central directory: 0 or an error. Free it in either case. */
int zip_read(struct zip *zip, int fd, struct err *err);
void zip_free(struct zip *zip);

/* Where the archive begins and, with its comment, ends in the file. */
uint64_t zip_begin(const struct zip *zip);
uint64_t zip_end(const struct zip *zip);

/* Read n bytes at an offset in the entry of that name. False if it is missing,
 * too short or damaged; only the first 64 KiB of a compressed one can be
 * read. */
bool zip_get(const struct zip *zip, struct str name, uint64_t offset, void *to,
	     size_t n);

/* The bytes of the i-th entry of names; zip is borrowed. NULL with err
 * filled. */
struct zip_reader *zip_reader_open(const struct zip *zip, uint32_t i,
				   struct err *err);
void zip_reader_close(struct zip_reader *reader); /* NULL is a no-op */
struct byte_source *zip_reader_source(struct zip_reader *reader);

/* At the end: 0, or 1 with err filled, "has a wrong CRC: ...", if the bytes do
 * not match the directory. A CRC of 0 was not computed. */
int zip_reader_check(const struct zip_reader *reader, struct err *err);

#endif
