/*
 * Bytes in and out: a buffered writer whose error sticks, files that appear
 * atomically, and reading with a ceiling.
 */
#ifndef OBS_BASE_IO_H
#define OBS_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* A buffered writer. The first failed write is remembered as errno in `failed`;
 * later output is dropped. out_close reports it: always close a writer and
 * check the result. */
struct out {
	int fd;
	int failed; /* errno of the first failure, else 0 */
	size_t n;   /* bytes waiting in p */
	uint64_t written;
	char *p;
	int (*take)(void *taker, const char *p, size_t n); /* instead of fd */
	void *taker;
};

/* Write to fd, which stays the caller's. p is NULL if out of memory. */
int out_open(struct out *out, int fd, struct err *err);

/* Pass the output to take, in large pieces; it returns 0 or an errno. */
int out_open_taker(struct out *out,
		   int (*take)(void *taker, const char *p, size_t n),
		   void *taker, struct err *err);

/* Append the output to text; out_close_buf returns 0 or text's error. */
int out_open_buf(struct out *out, struct buf *text, struct err *err);
int out_close_buf(struct out *out, const struct buf *text, struct err *err);

/* Bytes written so far, flushed or not. */
static inline uint64_t out_tell(const struct out *out)
{
	return out->written + out->n;
}

void out_flush(struct out *out);
void out_put_slow(struct out *out, const char *p, size_t n);

enum { OUT_SIZE = 64 * 1024 };

static inline void out_put(struct out *out, const char *p, size_t n)
{
	if (n == 0)
		return; /* p may be NULL if the buffer is empty */
	if (n < OUT_SIZE - out->n) {
		__builtin_memcpy(out->p + out->n, p, n);
		out->n += n;
	} else {
		out_put_slow(out, p, n);
	}
}

static inline void out_putc(struct out *out, char c)
{
	out_put(out, &c, 1);
}

void out_puts(struct out *out, const char *text);

/* Returns a pointer with at least room bytes; add to out->n what was used. room
 * is at most OUT_SIZE. */
char *out_room(struct out *out, size_t room);

/* Flush and release; fd stays open. Returns 0 or ERR_IO. */
int out_close(struct out *out, struct err *err);

/*
 * A file that appears atomically: written under a temporary name in its
 * directory, renamed by out_file_commit. Symbolic links are followed and their
 * target is replaced; the permission bits of an existing file are kept. A
 * device, a FIFO or the name of a descriptor is written in place.
 * out_file_abort discards it. Both are no-ops if it failed to open, is done, or
 * is zeroed.
 */
struct out_file {
	struct out out;
	char *path;	 /* as given, for messages; NULL when done */
	char *target;	 /* after following links */
	char *temporary; /* temporary name; NULL if written in place */
};

int out_file_open(struct out_file *file, const char *path, struct err *err);
int out_file_commit(struct out_file *file, struct err *err);
void out_file_abort(struct out_file *file);

/* Remove the temporary file from a signal handler, at any time. */
void out_file_unlink_pending(const struct out_file *file);

/* Append everything up to the end of fd; more than b->max is ERR_LIMIT. */
int io_read_all(int fd, struct buf *b, struct err *err);
int io_read_file(const char *path, struct buf *b, struct err *err);

/* read(2), retried after a signal. */
ssize_t io_read(int fd, void *p, size_t n);

/* The mtime of a regular file, Unix seconds; NaN if it is not one and is read
 * as it is written. Returns 0 or ERR_IO. */
int io_written(int fd, double *written, struct err *err);

/* pread(2) until n bytes were read or the file ends. */
ssize_t io_pread(int fd, void *p, size_t n, off_t at);

/* Write all n bytes; returns false with errno set on failure. */
bool io_write(int fd, const char *p, size_t n);

/* An unlinked temporary file, in $TMPDIR, else /tmp: empty, or holding a copy
 * of head and the rest of fd, at most max bytes (named as in buf_new), at
 * offset 0. Returns its descriptor or a negative error code. */
int io_unlinked(struct err *err);
#define io_spool(fd, head, max, err) io_spool_limited(fd, head, max, #max, err)
int io_spool_limited(int fd, struct str head, size_t max, const char *limit,
		     struct err *err);

#endif
