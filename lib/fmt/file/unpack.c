#include "fmt/file/unpack.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { WINDOW = 15, GZIP_WRAPPER = 16, ZLIB_HEADER = 2, BLOCK = 16 * 1024 };
enum { GZIP_MAGIC = 0x1f }; /* the first byte of every member */

struct unpacker {
	enum unpack_format format;
	struct unpack_taker taker;
	enum { BEFORE, INSIDE, AFTER } place; /* inside the stream or member */
	bool open;			      /* stream is initialised */
	z_stream stream;
	unsigned char head[ZLIB_HEADER]; /* of deflate, until complete */
	uInt head_n;
};

static const char *const names[] = {
	[UNPACK_GZIP] = "gzip", [UNPACK_DEFLATE] = "deflate"};

struct unpacker *unpack_open(enum unpack_format format,
			     struct unpack_taker taker)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (u != NULL) {
		u->format = format;
		u->taker = taker;
	}
	return u;
}

void unpack_close(struct unpacker *u)
{
	if (u == NULL)
		return;
	if (u->open)
		inflateEnd(&u->stream);
	free(u);
}

/* RFC 1950, section 2.2: the method is 8, the window fits, and the two bytes
 * as a number are a multiple of 31. */
static bool is_zlib_header(const unsigned char head[ZLIB_HEADER])
{
	return (head[0] & 0x0f) == Z_DEFLATED && head[0] >> 4 <= 7 &&
	       (head[0] << 8 | head[1]) % 31 == 0;
}

static int begin(struct unpacker *u, struct err *err)
{
	int window = WINDOW;

	if (u->format == UNPACK_GZIP)
		window = WINDOW + GZIP_WRAPPER;
	else if (!is_zlib_header(u->head))
		window = -WINDOW;
	u->place = INSIDE;
	if (u->open)
		return inflateReset(&u->stream) == Z_OK ? 0 : err_memory(err);
	if (inflateInit2(&u->stream, window) != Z_OK)
		return err_memory(err);
	u->open = true;
	return 0;
}

/* May a stream or member begin with the next byte? Only gzip has several. */
static int check_start(const struct unpacker *u, struct err *err)
{
	bool magic = *u->stream.next_in == GZIP_MAGIC;

	if (u->place == BEFORE && u->format == UNPACK_GZIP && !magic)
		return err_set(err, ERR_INPUT, "the data is not gzip");
	if (u->place == AFTER && !(u->format == UNPACK_GZIP && magic))
		return err_set(err, ERR_INPUT,
			       "other data follows the end of the %s data",
			       names[u->format]);
	return 0;
}

static int explain(const struct unpacker *u, int status, struct err *err)
{
	const char *why = u->stream.msg;

	if (status == Z_MEM_ERROR)
		return err_memory(err);
	return err_set(err, ERR_INPUT, "the %s data is damaged: %s",
		       names[u->format], why ? why : "a preset dictionary");
}

/* Process next_in until it is used up or the stream ends. */
static int inflate_all(struct unpacker *u, struct err *err)
{
	char out[BLOCK];
	int status, rc;

	do {
		u->stream.next_out = (Bytef *)out;
		u->stream.avail_out = sizeof(out);
		status = inflate(&u->stream, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END &&
		    status != Z_BUF_ERROR)
			return explain(u, status, err);
		rc = 0;
		if (u->stream.avail_out < sizeof(out))
			rc = u->taker.take(
				u->taker.taker,
				str_make(out,
					 sizeof(out) - u->stream.avail_out),
				err);
	} while (rc == 0 && status != Z_STREAM_END &&
		 (u->stream.avail_in > 0 || u->stream.avail_out == 0));
	if (status == Z_STREAM_END)
		u->place = AFTER;
	return rc;
}

static int work(struct unpacker *u, const void *p, uInt n, struct err *err)
{
	int rc = 0;

	u->stream.next_in = (z_const Bytef *)p;
	u->stream.avail_in = n;
	while (u->stream.avail_in > 0 && rc == 0) {
		if (u->place != INSIDE)
			rc = check_start(u, err);
		if (u->place != INSIDE && rc == 0)
			rc = begin(u, err);
		if (rc == 0)
			rc = inflate_all(u, err);
	}
	return rc;
}

/* The first bytes of deflate determine the kind. */
static int gather_head(struct unpacker *u, struct str *piece, struct err *err)
{
	while (u->head_n < ZLIB_HEADER && piece->n > 0) {
		u->head[u->head_n++] = (unsigned char)*piece->p;
		*piece = str_make(piece->p + 1, piece->n - 1);
	}
	return u->head_n < ZLIB_HEADER ? 0 : work(u, u->head, u->head_n, err);
}

int unpack_put(struct unpacker *u, struct str piece, struct err *err)
{
	int rc = 0;

	if (u->format == UNPACK_DEFLATE && u->head_n < ZLIB_HEADER)
		rc = gather_head(u, &piece, err);
	while (piece.n > 0 && rc == 0) {
		uInt n = piece.n < UINT_MAX ? (uInt)piece.n : UINT_MAX;

		rc = work(u, piece.p, n, err);
		piece = str_skip(piece, n);
	}
	return rc;
}

int unpack_end(const struct unpacker *u, struct err *err)
{
	if (u->place == AFTER || (u->place == BEFORE && u->head_n == 0))
		return 0;
	return err_set(err, ERR_INPUT, "truncated: the %s data has no end",
		       names[u->format]);
}
