#include "fmt/file/gzip_write.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/limits.h"

enum { WINDOW = 15, GZIP_WRAPPER = 16 };

struct gzip_state {
	z_stream stream;
	struct buf *to;
};

/* Run zlib over stream.next_in. */
static int squeeze(struct gzip_state *state, int flush)
{
	static const size_t step = 32 * KIB;
	z_stream *stream = &state->stream;

	do {
		char *room = buf_room(state->to, step);

		if (room == NULL)
			return ENOMEM;
		stream->next_out = (Bytef *)room;
		stream->avail_out = (uInt)step;
		deflate(stream, flush);
		state->to->n += step - stream->avail_out;
	} while (stream->avail_out == 0);
	return 0;
}

static int compress_more(void *taker, const char *p, size_t n)
{
	struct gzip_state *state = taker;
	int errnum = 0;

	while (n > 0 && errnum == 0) {
		uInt part = n < UINT_MAX ? (uInt)n : UINT_MAX;

		state->stream.next_in = (z_const Bytef *)p;
		state->stream.avail_in = part;
		errnum = squeeze(state, Z_NO_FLUSH);
		p += part;
		n -= part;
	}
	return errnum;
}

int gzip_open(struct gzip *z, struct buf *to, int level, struct err *err)
{
	enum { MEMORY = 8 };
	int code;

	*z = (struct gzip){.state = calloc(1, sizeof(*z->state))};
	if (z->state == NULL)
		return err_memory(err);
	z->state->to = to;
	if (deflateInit2(&z->state->stream, level, Z_DEFLATED,
			 WINDOW + GZIP_WRAPPER, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(z->state);
		z->state = NULL;
		return err_memory(err);
	}
	code = out_open_taker(&z->in, compress_more, z->state, err);
	if (code != 0)
		gzip_close(z, &(struct err){0});
	return code;
}

int gzip_close(struct gzip *z, struct err *err)
{
	int code;

	if (z->state == NULL)
		return 0;
	code = out_close(&z->in, err);
	if (code == 0)
		squeeze(z->state, Z_FINISH);
	if (z->state->to->failed)
		code = buf_error(z->state->to, err);
	deflateEnd(&z->state->stream);
	free(z->state);
	*z = (struct gzip){0};
	return code;
}

/* Give stream more of the remaining input; zlib counts in uInt. */
static void feed(z_stream *stream, struct str *left)
{
	uInt part = left->n < UINT_MAX ? (uInt)left->n : UINT_MAX;

	if (stream->avail_in > 0)
		return;
	stream->next_in = (z_const Bytef *)left->p;
	stream->avail_in = part;
	left->p += part;
	left->n -= part;
}

int gzip_unpack(struct str packed,
		int (*take)(void *taker, const char *p, size_t n), void *taker,
		struct err *err)
{
	static const size_t step = 64 * KIB;
	z_stream stream = {0};
	char *piece = malloc(step);
	int status = Z_MEM_ERROR;
	int errnum = 0;

	if (piece != NULL)
		status = inflateInit2(&stream, WINDOW + GZIP_WRAPPER);
	while (status == Z_OK && errnum == 0) {
		feed(&stream, &packed);
		stream.next_out = (Bytef *)piece;
		stream.avail_out = (uInt)step;
		status = inflate(&stream, Z_NO_FLUSH);
		errnum = take(taker, piece, step - stream.avail_out);
	}
	inflateEnd(&stream);
	free(piece);
	if (status == Z_MEM_ERROR)
		return err_memory(err);
	if (errnum != 0)
		return err_sys(err, errnum, "cannot unpack");
	if (status != Z_STREAM_END)
		return err_set(err, ERR_INPUT, "is not a complete gzip stream");
	return 0;
}
