#include "fmt/file/zip_end.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/limits.h"

enum { END_SIZE = 22, LOCATOR_SIZE = 20, END64_SIZE = 56, SIGNATURE_SIZE = 4 };

/* Trailing bytes, and the longest comment. */
#define SEARCHED (1 * MIB + 64 * KIB)

/* The n bytes of a little-endian number. */
static uint64_t number(const unsigned char *p, int n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* Read n bytes at an offset that the file claims. */
static bool read_at(int fd, void *p, size_t n, uint64_t at)
{
	return at <= INT64_MAX && io_pread(fd, p, n, (off_t)at) == (ssize_t)n;
}

static bool has_signature(int fd, uint64_t at, const char *signature)
{
	char found[SIGNATURE_SIZE];

	return read_at(fd, found, sizeof(found), at) &&
	       memcmp(found, signature, sizeof(found)) == 0;
}

/* A directory of no size is one of an empty archive. */
static bool is_directory(int fd, uint64_t at, uint64_t size)
{
	return size == 0 || has_signature(fd, at, "PK\1\2");
}

/* Is there a zip64 locator before the end record at `end`, and do a zip64
 * end record and a directory stand where it says? */
static bool follows_directory64(int fd, uint64_t end)
{
	unsigned char locator[LOCATOR_SIZE], record[END64_SIZE];
	uint64_t at, size, offset;

	if (end < LOCATOR_SIZE ||
	    !read_at(fd, locator, sizeof(locator), end - LOCATOR_SIZE) ||
	    memcmp(locator, "PK\6\7", SIGNATURE_SIZE) != 0)
		return false;
	at = number(locator + 8, 8);
	if (!read_at(fd, record, sizeof(record), at) ||
	    memcmp(record, "PK\6\6", SIGNATURE_SIZE) != 0)
		return false;
	size = number(record + 40, 8);
	offset = number(record + 48, 8);
	return offset <= at && size == at - offset &&
	       is_directory(fd, offset, size);
}

/* Does a directory end where the end record at `end` begins? Bytes before the
 * archive only make it stand later than it says. */
static bool follows_directory(int fd, uint64_t end, const unsigned char *record)
{
	uint64_t size = number(record + 12, 4);
	uint64_t offset = number(record + 16, 4);

	if (follows_directory64(fd, end))
		return true;
	if (size == 0)
		return offset == end;
	return size <= end && offset <= end - size &&
	       is_directory(fd, end - size, size);
}

/* The last end record in the n bytes at p, which begin at start. */
static off_t search(int fd, const unsigned char *p, size_t n, uint64_t start)
{
	for (size_t i = n < END_SIZE ? 0 : n - END_SIZE + 1; i > 0; i--) {
		const unsigned char *record = p + i - 1;

		if (memcmp(record, "PK\5\6", SIGNATURE_SIZE) == 0 &&
		    follows_directory(fd, start + i - 1, record))
			return (off_t)(start + i - 1 + END_SIZE);
	}
	return 0;
}

off_t zip_end_find(int fd, struct err *err)
{
	struct stat st;
	unsigned char *p;
	uint64_t start;
	size_t n;
	off_t end;

	if (fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot read");
	n = (uint64_t)st.st_size < SEARCHED ? (size_t)st.st_size : SEARCHED;
	start = (uint64_t)st.st_size - n;
	p = malloc(n + 1);
	if (p == NULL)
		return err_memory(err);
	end = read_at(fd, p, n, start) ? search(fd, p, n, start) : 0;
	free(p);
	return end > 0 ? end : st.st_size;
}
