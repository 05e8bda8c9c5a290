/*
 * Zip archives (APPNOTE.TXT 6.3, 4.3.7 and 4.3.12 to 4.3.16; 4.5.3 for zip64),
 * stored or deflated: their entries by name, one as a source of bytes, or a few
 * bytes of some of them.
 *
 * Sizes and offsets are those of the central directory, checked against the
 * file and against the local headers that state them, too. Bytes before and
 * behind an archive are no part of it.
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
	/* Behind the last end record that follows a central directory as it
	 * says, comment left out, at most 1 MiB and a comment before the end of
	 * the file; the size of the file when there is none. */
	uint64_t end;
	struct intern names; /* as the central directory has them, each once */
	struct zip_entry *entries;
	size_t cap;
};

/* Read the central directory: 0 or an error. Free it in either case. */
int zip_read(struct zip *zip, int fd, struct err *err);
void zip_free(struct zip *zip);

/* Read n bytes at an offset in the entry of that name. False when it is not
 * there, too short or damaged; of one that is compressed only the first 64 KiB
 * can be read. */
bool zip_get(const struct zip *zip, struct str name, uint64_t offset, void *to,
	     size_t n);

/* The bytes of the entry whose name is names' i-th; zip is borrowed. NULL with
 * err filled. */
struct zip_reader *zip_reader_open(const struct zip *zip, uint32_t i,
				   struct err *err);
void zip_reader_close(struct zip_reader *reader); /* NULL is a no-op */
struct byte_source *zip_reader_source(struct zip_reader *reader);

/* After the end: 0, or 1 with err filled, "has a wrong CRC: ...", when the bytes
 * are not what the directory states. A CRC of 0 was not computed. */
int zip_reader_check(const struct zip_reader *reader, struct err *err);

#endif
