#include <stdlib.h>
#include <zlib.h>

#include "fmt/file/zip_parts.h"

enum {
	LOCAL_SIZE = 30,
	NAME_MOST = 4096,
	ENCRYPTED = 1,	       /* flags */
	SIZES_FOLLOW = 1 << 3, /* the data */
	STORED = 0,
	DEFLATED = 8,
	INFLATED_MAX = 64 * 1024,
	BLOCK = 256 * 1024
};

/* Where the bytes are ------------------------------------------------------ */

/* Does a local header match the directory? Some writers put sizes only after
 * the data or, in zip64, in an extra field. */
static bool agrees(const struct zip_entry *entry, const unsigned char *local)
{
	uint64_t packed = zip_number(local + 18, 4);
	uint64_t size = zip_number(local + 22, 4);

	return (zip_number(local + 6, 2) & SIZES_FOLLOW) != 0 ||
	       ((packed == entry->packed || packed == UINT32_MAX) &&
		(size == entry->size || size == UINT32_MAX));
}

/* What is wrong with the entry with this local header, or NULL. */
static const char *check_local(const struct zip *zip, uint32_t i,
			       const unsigned char *local)
{
	const struct zip_entry *entry = &zip->entries[i];
	struct str name = intern_text(&zip->names, i);
	char local_name[NAME_MOST];

	if (name.n > NAME_MOST || zip_number(local + 26, 2) != name.n ||
	    !zip_read_at(zip->fd, local_name, name.n,
			 entry->header + LOCAL_SIZE) ||
	    memcmp(local_name, name.p, name.n) != 0 || !agrees(entry, local))
		return "the headers of an entry disagree";
	if ((entry->flags & ENCRYPTED) != 0)
		return "an entry is encrypted";
	if (entry->method != STORED && entry->method != DEFLATED)
		return "an entry is compressed by an unknown method";
	return NULL;
}

/* The offset of an entry's data; 0 with err filled if it is not in the file or
 * cannot be read. */
static uint64_t data_of(const struct zip *zip, uint32_t i, struct err *err)
{
	const struct zip_entry *entry = &zip->entries[i];
	unsigned char local[LOCAL_SIZE];
	const char *wrong = "an entry is missing";
	uint64_t at = 0;

	if (entry->header <= zip->end &&
	    zip_read_at(zip->fd, local, sizeof(local), entry->header) &&
	    zip_is_signed(local, "PK\3\4")) {
		wrong = check_local(zip, i, local);
		at = entry->header + LOCAL_SIZE + zip_number(local + 26, 2) +
		     zip_number(local + 28, 2);
		if (wrong == NULL &&
		    (at > zip->end || entry->packed > zip->end - at))
			wrong = "an entry is truncated";
	}
	if (wrong == NULL)
		return at;
	zip_damaged(entry->header, wrong, err);
	return 0;
}

/* Bytes ---------------------------------------------------------------- */

struct zip_reader {
	struct byte_source source; /* first: next casts back */
	int fd;
	const struct zip_entry *entry;
	uint64_t begin;	 /* of the packed data */
	uint64_t at;	 /* the next packed byte */
	uint64_t given;	 /* bytes */
	uint32_t crc;	 /* of these */
	z_stream stream; /* of deflated data */
	bool inflates;	 /* stream is initialised */
	bool ended;
	char in[BLOCK], out[BLOCK];
};

/* Read packed bytes: returns how many, 0 at the end, or an error. */
static int64_t next_packed(struct zip_reader *r, struct err *err)
{
	uint64_t left = r->begin + r->entry->packed - r->at;
	size_t n = left < BLOCK ? (size_t)left : BLOCK;

	if (!zip_read_at(r->fd, r->in, n, r->at))
		return zip_damaged(r->at, "an entry is truncated", err);
	r->at += n;
	return (int64_t)n;
}

static int64_t inflate_block(struct zip_reader *r, struct err *err)
{
	z_stream *z = &r->stream;
	int status = Z_OK;

	z->next_out = (Bytef *)r->out;
	z->avail_out = BLOCK;
	while (status == Z_OK && z->avail_out > 0) {
		if (z->avail_in == 0) {
			int64_t n = next_packed(r, err);

			if (n < 0)
				return n;
			z->next_in = (Bytef *)r->in;
			z->avail_in = (uInt)n;
		}
		status = inflate(z, Z_NO_FLUSH);
	}
	r->ended = status == Z_STREAM_END;
	if (status == Z_MEM_ERROR)
		return err_memory(err);
	if (status != Z_OK && !r->ended && z->avail_out == BLOCK)
		return zip_damaged(r->at - z->avail_in,
				   "the compressed data is damaged", err);
	return BLOCK - (int64_t)z->avail_out;
}

static int next_of_entry(struct byte_source *source, struct str *block,
			 struct err *err)
{
	struct zip_reader *r = (struct zip_reader *)source;
	int64_t n = 0;

	if (!r->ended)
		n = r->inflates ? inflate_block(r, err) : next_packed(r, err);
	if (n <= 0)
		return (int)n;
	*block = str_make(r->inflates ? r->out : r->in, (size_t)n);
	r->crc = (uint32_t)crc32(r->crc, (const Bytef *)block->p, (uInt)n);
	r->given += (uint64_t)n;
	source->left -= block->n < source->left ? block->n : source->left;
	return 1;
}

static int rewind_entry(struct byte_source *source, struct err *err)
{
	struct zip_reader *r = (struct zip_reader *)source;

	r->at = r->begin;
	r->given = 0;
	r->crc = 0;
	r->ended = false;
	r->stream.avail_in = 0;
	source->left = r->entry->size;
	return r->inflates && inflateReset(&r->stream) != Z_OK ? err_memory(err)
							       : 0;
}

struct zip_reader *zip_reader_open(const struct zip *zip, uint32_t i,
				   struct err *err)
{
	bool deflated = zip->entries[i].method == DEFLATED;
	uint64_t begin = data_of(zip, i, err);
	struct zip_reader *r;

	if (begin == 0)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (r != NULL) {
		r->source =
			(struct byte_source){next_of_entry, rewind_entry, 0};
		r->fd = zip->fd;
		r->entry = &zip->entries[i];
		r->begin = begin;
		r->inflates = deflated &&
			      inflateInit2(&r->stream, -MAX_WBITS) == Z_OK;
		if (r->inflates == deflated &&
		    rewind_entry(&r->source, err) == 0)
			return r;
	}
	err_memory(err);
	zip_reader_close(r);
	return NULL;
}

void zip_reader_close(struct zip_reader *r)
{
	if (r == NULL)
		return;
	if (r->inflates)
		inflateEnd(&r->stream);
	free(r);
}

struct byte_source *zip_reader_source(struct zip_reader *r)
{
	return &r->source;
}

int zip_reader_check(const struct zip_reader *r, struct err *err)
{
	bool complete = r->given == r->entry->size;

	if (complete && (r->crc == r->entry->crc || r->entry->crc == 0))
		return 0;
	if (complete)
		err_set(err, ERR_INPUT, "has a wrong CRC: 0x%x, not 0x%x",
			r->crc, r->entry->crc);
	else
		err_set(err, ERR_INPUT, "has a size of %llu, not %llu",
			(unsigned long long)r->given,
			(unsigned long long)r->entry->size);
	return 1;
}

/* For a deflated entry. */
static bool get_inflated(const struct zip *zip, uint32_t i, uint64_t offset,
			 void *to, size_t n)
{
	struct err ignored = {0};
	struct zip_reader *r = NULL;
	struct str block;
	bool done = false;

	if (offset <= INFLATED_MAX - n)
		r = zip_reader_open(zip, i, &ignored);
	/* The first block has everything, if there is anything. */
	if (r != NULL && next_of_entry(&r->source, &block, &ignored) == 1 &&
	    block.n >= offset + n) {
		memcpy(to, block.p + offset, n);
		done = true;
	}
	zip_reader_close(r);
	return done;
}

bool zip_get(const struct zip *zip, struct str name, uint64_t offset, void *to,
	     size_t n)
{
	uint32_t i = intern_find(&zip->names, name);
	const struct zip_entry *entry;
	struct err ignored;
	uint64_t at;

	if (i == INTERN_FAILED)
		return false;
	entry = &zip->entries[i];
	if (n > INFLATED_MAX || entry->size < n || offset > entry->size - n)
		return false;
	if (entry->method == DEFLATED)
		return get_inflated(zip, i, offset, to, n);
	at = data_of(zip, i, &ignored);
	return at != 0 && entry->packed == entry->size &&
	       zip_read_at(zip->fd, to, n, at + offset);
}
