/*
 * Internals of zip archives: shared by zip.c, which reads the directory, and
 * zip_reader.c, which reads entries.
 */
#ifndef OBS_FMT_FILE_ZIP_PARTS_H
#define OBS_FMT_FILE_ZIP_PARTS_H

#include "base/io.h"
#include "fmt/file/zip.h"

enum { SIGNATURE_SIZE = 4 };

struct zip_entry {
	uint64_t header; /* offset of the local header */
	uint64_t packed; /* bytes */
	uint64_t size;
	uint32_t crc;
	uint16_t method, flags;
};

/* An n-byte little-endian number. */
static inline uint64_t zip_number(const unsigned char *p, int n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* Read n bytes at an offset claimed by the file. */
static inline bool zip_read_at(int fd, void *p, size_t n, uint64_t at)
{
	return at <= INT64_MAX && io_pread(fd, p, n, (off_t)at) == (ssize_t)n;
}

static inline bool zip_is_signed(const void *p, const char *signature)
{
	return memcmp(p, signature, SIGNATURE_SIZE) == 0;
}

/* Fill err; returns its code. */
int zip_damaged(uint64_t at, const char *what, struct err *err);

#endif
