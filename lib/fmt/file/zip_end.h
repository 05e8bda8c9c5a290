/*
 * Where a zip archive ends (APPNOTE.TXT 6.3, 4.3.14 to 4.3.16). libarchive
 * looks for the end record in the last 16 KiB only, and takes what looks like
 * one inside a comment.
 */
#ifndef OBS_FMT_FILE_ZIP_END_H
#define OBS_FMT_FILE_ZIP_END_H

#include <sys/types.h>

#include "base/err.h"

/*
 * The offset behind the last end record, comment left out, that follows a
 * central directory as it says, at most 1 MiB and a comment before the end of
 * the file; the size of the file when there is none; or an error code.
 */
off_t zip_end_find(int fd, struct err *err);

#endif
