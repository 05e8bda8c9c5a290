/*
 * Compress what is written, in memory (RFC 1952 through zlib, which stays
 * behind this file).
 *
 * gzip_open gives a writer; whatever is put there comes out compressed at the
 * end of `to`, complete after gzip_close. The buffer stays the caller's; its
 * ceiling bounds the result.
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

/* level: 1 fast to 9 small. The struct may not move until it is closed. */
int gzip_open(struct gzip *z, struct buf *to, int level, struct err *err);

/* Finish and release; also right for a struct of zeroes. Returns 0 or an
 * error code when anything since gzip_open failed. */
int gzip_close(struct gzip *z, struct err *err);

/*
 * Hand out, in large pieces, what was put into a writer that is closed now.
 * take returns 0 or an errno, which ends it.
 */
int gzip_unpack(struct str packed,
		int (*take)(void *taker, const char *p, size_t n), void *taker,
		struct err *err);

#endif
