/*
 * Appending to a file that others append to as well.
 *
 * One write(2) of whole lines with O_APPEND. Linux holds the inode's lock
 * over a write to a regular file of a local file system (ext4, xfs, btrfs,
 * tmpfs), whatever its length, so that lines of several writers never mix;
 * what POSIX promises of O_APPEND is only that the offset is the file's end.
 * Writes of more than OBS_TRACE_ATOMIC bytes, a page, also take an exclusive
 * OFD lock, which keeps long writes separate even if a file system splits them.
 *
 * A write can be torn by SIGKILL between two pages, and by a full disk. If it
 * is noticed here the torn line is ended; if not, the next writer to open the
 * file ends it; and a reader finds a complete record after a torn one on the
 * same line (rollout/records.h).
 */
#ifndef OBS_TRACE_APPEND_H
#define OBS_TRACE_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct append {
	int fd;
	uint64_t max; /* the process's file size limit */
};

/* Open a file for appending, creating it if needed: 0, or -1 with errno. EINVAL
 * for a pipe or a socket, which could block or kill its writer, and for a
 * binary file such as a dump, which appended lines would damage. */
int append_open(struct append *file, const char *path);

/* Append complete lines; false if not all were written. */
bool append_lines(const struct append *file, struct str lines);

#endif
