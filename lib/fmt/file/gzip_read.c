#include "fmt/file/gzip_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"

enum { WINDOW = 15, GZIP_WRAPPER = 16, BLOCK = 256 * 1024 };

struct gzip_reader {
	struct byte_source source;
	int fd;
	int64_t taken; /* bytes of the file read */
	bool begun;    /* the first block was looked at */
	bool packed;
	bool inside;	   /* a member that has not ended */
	bool padded;	   /* zeros were found behind the members */
	bool open;	   /* stream is initialised */
	struct err failed; /* after the bytes that came before it */
	z_stream stream;
	char *in, *out; /* BLOCK bytes each */
};

/* Read the next block of the file: its size, 0 at the end, or an error. */
static ssize_t read_block(struct gzip_reader *r, struct err *err)
{
	ssize_t n = io_read(r->fd, r->in, BLOCK);

	if (n < 0)
		return err_sys(err, errno, "cannot read");
	r->taken += n;
	r->stream.next_in = (Bytef *)r->in;
	r->stream.avail_in = (uInt)n;
	return n;
}

static int bad(struct gzip_reader *r, const char *what, struct err *err)
{
	return err_at(err, ERR_INPUT, ERR_BYTE,
		      r->taken - (int64_t)r->stream.avail_in, "%s", what);
}

/* Look at the first bytes: what kind of file is it? */
static int begin(struct gzip_reader *r, struct err *err)
{
	ssize_t n = read_block(r, err);

	if (n < 0)
		return (int)n;
	r->begun = true;
	r->packed = n > 1 && (unsigned char)r->in[0] == 0x1f &&
		    (unsigned char)r->in[1] == 0x8b;
	if (!r->packed)
		return 0;
	if (inflateInit2(&r->stream, WINDOW + GZIP_WRAPPER) != Z_OK)
		return err_memory(err);
	r->open = r->inside = true;
	return 0;
}

/* Have input at hand: 1, 0 when the file is over, or an error. */
static int have_input(struct gzip_reader *r, struct err *err)
{
	ssize_t n = 1;

	if (r->stream.avail_in == 0)
		n = read_block(r, err);
	if (n < 0)
		return (int)n;
	return n > 0;
}

/* Between members: 1 when another one begins, 0 when nothing but zeros is left,
 * or an error. */
static int next_member(struct gzip_reader *r, struct err *err)
{
	int rc = have_input(r, err);

	while (rc == 1 && *r->stream.next_in == '\0') {
		r->padded = true;
		r->stream.next_in++;
		r->stream.avail_in--;
		rc = have_input(r, err);
	}
	if (rc == 1 && r->padded)
		return bad(r, "the compressed file is damaged", err);
	if (rc == 1 && inflateReset(&r->stream) != Z_OK)
		return err_memory(err);
	return rc;
}

/* One step of inflating: 1, 0 at the end, or an error. */
static int inflate_step(struct gzip_reader *r, struct err *err)
{
	int rc = r->inside ? have_input(r, err) : next_member(r, err);
	int status;

	if (rc == 0 && r->inside)
		return bad(r, "the compressed file is truncated", err);
	if (rc <= 0)
		return rc;
	status = inflate(&r->stream, Z_NO_FLUSH);
	r->inside = status != Z_STREAM_END;
	if (status == Z_MEM_ERROR)
		return err_memory(err);
	if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
		return bad(r, "the compressed file is damaged", err);
	return 1;
}

/* Some decompressed bytes: 1, 0 at the end, or an error, which comes after the
 * bytes before it. */
static int inflate_some(struct gzip_reader *r, struct str *block,
			struct err *err)
{
	int rc = r->failed.code != ERR_NONE ? r->failed.code : 1;

	if (rc < 0) {
		*err = r->failed;
		return rc;
	}
	r->stream.next_out = (Bytef *)r->out;
	r->stream.avail_out = BLOCK;
	while (rc == 1 && r->stream.avail_out > 0)
		rc = inflate_step(r, &r->failed);
	*block = str_make(r->out, BLOCK - r->stream.avail_out);
	if (block->n > 0)
		return 1;
	if (rc < 0)
		*err = r->failed;
	return rc;
}

static int next(struct byte_source *source, struct str *block, struct err *err)
{
	struct gzip_reader *r = (struct gzip_reader *)source;
	int rc = r->begun ? 0 : begin(r, err);

	if (rc == 0 && r->packed)
		return inflate_some(r, block, err);
	if (rc == 0)
		rc = have_input(r, err);
	if (rc == 1) {
		*block = str_make(r->in, r->stream.avail_in);
		r->stream.avail_in = 0;
	}
	return rc;
}

struct gzip_reader *gzip_reader_open(const char *path, struct err *err)
{
	struct gzip_reader *r = calloc(1, sizeof(*r));

	if (r != NULL) {
		r->source =
			(struct byte_source){.next = next, .left = UINT64_MAX};
		r->in = malloc(BLOCK);
		r->out = malloc(BLOCK);
		r->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (r != NULL && r->in != NULL && r->out != NULL && r->fd >= 0)
		return r;
	if (r != NULL && r->fd < 0)
		err_sys(err, errno, "cannot open");
	else
		err_memory(err);
	gzip_reader_close(r);
	return NULL;
}

void gzip_reader_close(struct gzip_reader *r)
{
	if (r == NULL)
		return;
	if (r->open)
		inflateEnd(&r->stream);
	if (r->fd >= 0)
		close(r->fd);
	free(r->in);
	free(r->out);
	free(r);
}

struct byte_source *gzip_reader_source(struct gzip_reader *r)
{
	return &r->source;
}

bool gzip_reader_is_padded(const struct gzip_reader *r)
{
	return r->padded && r->failed.code == ERR_NONE;
}

const char *gzip_version(void)
{
	return zlibVersion();
}
