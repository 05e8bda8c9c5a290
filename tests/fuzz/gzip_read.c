/*
 * Any bytes as a file that may be gzip: what comes out is the same when it is
 * read a second time, and the file's own bytes when it is no gzip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "fmt/file/gzip_read.h"

/* Returns how it ended: 0 or an error. */
static int read_all(struct byte_source *source, struct buf *b)
{
	struct err err = {0};
	struct str block;
	int rc = 1;

	while (rc == 1 && b->n < b->max) {
		rc = source->next(source, &block, &err);
		if (rc == 1)
			buf_put(b, block.p, block.n);
	}
	if (rc < 0 && err.text[0] == '\0')
		abort();
	return rc;
}

static int read_file(const char *path, struct buf *b)
{
	struct err err;
	struct gzip_reader *reader = gzip_reader_open(path, &err);
	int rc;

	if (reader == NULL)
		abort();
	rc = read_all(gzip_reader_source(reader), b);
	gzip_reader_close(reader);
	return rc;
}

static void read_twice(const char *path, struct str file)
{
	struct buf first = buf_new(4 * MIB);
	struct buf second = buf_new(4 * MIB);
	int rc = read_file(path, &first);

	if (!str_starts(file, "\x1f") &&
	    (rc != 0 || !str_eq(buf_str(&first), file)))
		abort();
	if (read_file(path, &second) != rc ||
	    !str_eq(buf_str(&first), buf_str(&second)))
		abort();
	buf_free(&first);
	buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_twice(path, str_make((const char *)bytes, n));
	close(fd);
	return 0;
}
