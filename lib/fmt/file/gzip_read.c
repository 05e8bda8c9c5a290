#include "fmt/file/gzip_read.h"

#include <stdlib.h>
#include <zlib.h>

#include "fmt/input.h"

enum { WINDOW = 15, GZIP_WRAPPER = 16, BLOCK = 256 * 1024 };

struct gzip_reader {
	struct byte_source source; /* first: next casts back */
	struct input *input;
	int64_t taken; /* bytes read from the file */
	bool packed;
	bool inside;	   /* inside a member */
	bool padded;	   /* there are zeros after the members */
	struct err failed; /* returned after the bytes before it */
	z_stream stream;
	char *out; /* BLOCK bytes */
};

static int bad(struct gzip_reader *r, const char *what, struct err *err)
{
	return err_at(err, ERR_INPUT, ERR_BYTE,
		      r->taken - (int64_t)r->stream.avail_in, "%s", what);
}

/* Make input available: 1, 0 at the end of the file, or an error. */
static int have_input(struct gzip_reader *r, struct err *err)
{
	struct byte_source *bytes = &r->input->source;
	struct str block = {NULL, 0};
	int rc = 1;

	if (r->stream.avail_in > 0)
		return 1;
	rc = bytes->next(bytes, &block, err);
	if (rc == 1) {
		r->taken += (int64_t)block.n;
		r->stream.next_in = (Bytef *)block.p;
		r->stream.avail_in = (uInt)block.n;
	}
	return rc;
}

/* Between members: 1 if another one begins, 0 if only zeros are left, or an
 * error. */
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

/* Some decompressed bytes: 1, 0 at the end, or an error, which is returned
 * after the bytes before it. */
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
	struct byte_source *bytes = &r->input->source;

	return r->packed ? inflate_some(r, block, err)
			 : bytes->next(bytes, block, err);
}

static int start(struct gzip_reader *r, const char *path, struct err *err)
{
	r->input = input_open(path, err);
	if (r->input == NULL)
		return err->code;
	if (r->input->kind != INPUT_GZIP)
		return 0;
	r->out = malloc(BLOCK);
	if (r->out == NULL ||
	    inflateInit2(&r->stream, WINDOW + GZIP_WRAPPER) != Z_OK)
		return err_memory(err);
	r->packed = r->inside = true;
	return 0;
}

struct gzip_reader *gzip_reader_open(const char *path, struct err *err)
{
	struct gzip_reader *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return err_no_memory(err);
	r->source = (struct byte_source){.next = next, .left = UINT64_MAX};
	if (start(r, path, err) == 0)
		return r;
	gzip_reader_close(r);
	return NULL;
}

void gzip_reader_close(struct gzip_reader *r)
{
	if (r == NULL)
		return;
	if (r->packed)
		inflateEnd(&r->stream);
	input_close(r->input);
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
