/*
 * The entries of a zip archive by name, for reading a few bytes of some of
 * them (APPNOTE.TXT 6.3, 4.3.7 and 4.3.12; 4.5.3 for zip64). libarchive, which
 * reads data.pkl, gives entries one after another only.
 *
 * Nothing that the archive claims is trusted: sizes and offsets are checked
 * against the file, and an entry that does not hold is not there.
 */
#ifndef OBS_FMT_FILE_ZIP_INDEX_H
#define OBS_FMT_FILE_ZIP_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/intern.h"

struct zip_entry;

struct zip_index {
	int fd; /* borrowed */
	uint64_t end;
	struct intern names; /* in the order of the central directory */
	struct zip_entry *entries;
	size_t cap;
};

/*
 * Read the central directory of an archive whose end record ends at `end`
 * (zip_end.h). An archive without a readable one has no entries. Returns 0,
 * or ERR_MEMORY.
 */
int zip_index_read(struct zip_index *index, int fd, off_t end, struct err *err);
void zip_index_free(struct zip_index *index);

/* Read n bytes at an offset in the entry of that name. False when it is not
 * there, too short or damaged; of one that is compressed only the first 64 KiB
 * can be read. */
bool zip_index_get(const struct zip_index *index, struct str name,
		   uint64_t offset, void *to, size_t n);

#endif
