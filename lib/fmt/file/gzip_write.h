/*
 * Compress output in memory (RFC 1952 through zlib, which only this file
 * includes).
 *
 * gzip_open returns a writer whose output is compressed and appended to `to`,
 * complete after gzip_close. The buffer stays the caller's; its ceiling bounds
 * the result.
 */
#ifndef OBS_FMT_FILE_GZIP_WRITE_H
#define OBS_FMT_FILE_GZIP_WRITE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"

struct gzip {
	struct out in; /* write here */
	struct gzip_state *state;
};

/* level: 1 fast to 9 small. Do not move the struct until it is closed. */
int gzip_open(struct gzip *z, struct buf *to, int level, struct err *err);

/* Finish and release; a zeroed struct is fine. Returns 0 or an error code if
 * anything since gzip_open failed. */
int gzip_close(struct gzip *z, struct err *err);

/*
 * Pass everything written to a closed writer to take, in large pieces. take
 * returns 0 or an errno, which stops.
 */
int gzip_unpack(struct str packed,
		int (*take)(void *taker, const char *p, size_t n), void *taker,
		struct err *err);

#endif
