#include "fmt/gzip_write.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct gzip_state {
	z_stream stream;
	struct buf *to;
};

/* Run zlib over what stream.next_in holds. */
static int squeeze(struct gzip_state *state, int flush)
{
	static const size_t step = 32 * 1024;
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

static int take(void *taker, const char *p, size_t n)
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
	enum { WINDOW = 15, GZIP_WRAPPER = 16, MEMORY = 8 };
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
	code = out_open_taker(&z->in, take, z->state, err);
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
	if (code == 0 && squeeze(z->state, Z_FINISH) != 0)
		code = err_memory(err);
	deflateEnd(&z->state->stream);
	free(z->state);
	*z = (struct gzip){0};
	return code;
}
