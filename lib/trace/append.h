/*
 * Appending to a file that others append to as well.
 *
 * One write(2) of whole lines with O_APPEND. Linux holds the inode's lock
 * over a write to a regular file of a local file system (ext4, xfs, btrfs,
 * tmpfs), whatever its length, so that lines of several writers never mix;
 * what POSIX promises of O_APPEND is only that the offset is the file's end.
 * More than OBS_TRACE_ATOMIC bytes, a page, are written under an exclusive OFD
 * lock too, which keeps long writes apart from each other where a file system
 * passes them on in pieces.
 *
 * A write can be torn by SIGKILL between two pages, and by a full disk. When
 * it is seen here the torn line is ended; when not, whoever opens the file
 * next ends it; and a reader finds the whole record behind a torn one on the
 * same line (rollout/records.h).
 */
#ifndef OBS_TRACE_APPEND_H
#define OBS_TRACE_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct append {
	int fd;
	uint64_t max; /* the process's limit on the size of files */
};

/* Open a file for appending, made if need be: 0, or -1 with errno. A pipe or
 * a socket is EINVAL: it could block, or end, its writer; and so is a file of
 * binary data, such as a dump, which lines at its end would damage. */
int append_open(struct append *file, const char *path);

/* Append whole lines; false when they are not all written. */
bool append_lines(const struct append *file, struct str lines);

#endif
