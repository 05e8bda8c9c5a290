#include "fmt/file/zip_index.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"

enum {
	END_SIZE = 22,
	LOCATOR_SIZE = 20,
	END64_SIZE = 56,
	HEADER_SIZE = 46, /* of an entry in the central directory */
	LOCAL_SIZE = 30,
	EXTRA64 = 1,
	STORED = 0,
	DEFLATED = 8,
	INFLATED_MAX = 64 * 1024
};

struct zip_entry {
	uint64_t header; /* offset of the local header */
	uint64_t packed; /* bytes */
	uint64_t size;
	uint16_t method;
};

/* Where the central directory stands. */
struct zip_directory {
	uint64_t at, size;
	uint64_t before; /* bytes before the archive, which shift all offsets */
};

static uint64_t number(const unsigned char *p, int n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static bool read_at(int fd, void *p, size_t n, uint64_t at)
{
	return at <= INT64_MAX && io_pread(fd, p, n, (off_t)at) == (ssize_t)n;
}

/* Of a zip64 archive; false when it is none. */
static bool find_directory64(int fd, uint64_t record, struct zip_directory *dir)
{
	unsigned char locator[LOCATOR_SIZE], end64[END64_SIZE];
	uint64_t at;

	if (record < LOCATOR_SIZE ||
	    !read_at(fd, locator, sizeof(locator), record - LOCATOR_SIZE) ||
	    memcmp(locator, "PK\6\7", 4) != 0)
		return false;
	at = number(locator + 8, 8);
	if (!read_at(fd, end64, sizeof(end64), at) ||
	    memcmp(end64, "PK\6\6", 4) != 0)
		return false;
	dir->size = number(end64 + 40, 8);
	dir->at = number(end64 + 48, 8);
	return dir->at <= at && dir->size == at - dir->at;
}

static bool find_directory(int fd, uint64_t end, struct zip_directory *dir)
{
	unsigned char record[END_SIZE];
	uint64_t at = end - END_SIZE;

	*dir = (struct zip_directory){0};
	if (end < END_SIZE || !read_at(fd, record, sizeof(record), at) ||
	    memcmp(record, "PK\5\6", 4) != 0)
		return false;
	if (find_directory64(fd, at, dir))
		return true;
	dir->size = number(record + 12, 4);
	if (dir->size > at || number(record + 16, 4) > at - dir->size)
		return false;
	dir->at = at - dir->size;
	dir->before = dir->at - number(record + 16, 4);
	return true;
}

/* The value of a size or offset that did not fit the header: the extra field
 * has those in order, 8 bytes each. False: it is missing. */
static bool widen(uint64_t *v, const unsigned char **p,
		  const unsigned char *end)
{
	if (*v != UINT32_MAX)
		return true;
	if (end - *p < 8)
		return false;
	*v = number(*p, 8);
	*p += 8;
	return true;
}

static bool take_extra64(struct zip_entry *entry, const unsigned char *p,
			 size_t n)
{
	const unsigned char *end = p + n;

	while (end - p >= 4) {
		size_t size = number(p + 2, 2);
		const unsigned char *field = p + 4;
		const unsigned char *next = field + size;

		if (size > (size_t)(end - field))
			return false;
		if (number(p, 2) == EXTRA64)
			return widen(&entry->size, &field, next) &&
			       widen(&entry->packed, &field, next) &&
			       widen(&entry->header, &field, next);
		p = next;
	}
	return true;
}

/* Add the entry that p begins with; returns its size, 0: it is damaged, or a
 * negative error. */
static int64_t take_entry(struct zip_index *index,
			  const struct zip_directory *dir,
			  const unsigned char *p, size_t left, struct err *err)
{
	struct zip_entry entry;
	size_t name, extra, comment;
	uint32_t place;

	if (left < HEADER_SIZE || memcmp(p, "PK\1\2", 4) != 0)
		return 0;
	name = number(p + 28, 2);
	extra = number(p + 30, 2);
	comment = number(p + 32, 2);
	if (left - HEADER_SIZE < name + extra + comment)
		return 0;
	entry = (struct zip_entry){.method = (uint16_t)number(p + 10, 2),
				   .packed = number(p + 20, 4),
				   .size = number(p + 24, 4),
				   .header = number(p + 42, 4)};
	if (!take_extra64(&entry, p + HEADER_SIZE + name, extra))
		return 0;
	entry.header += dir->before;
	place = intern_add(&index->names,
			   str_make((const char *)p + HEADER_SIZE, name));
	if (place == INTERN_FAILED)
		return intern_error(&index->names, err);
	index->entries = array_room(index->entries, &index->cap, place,
				    sizeof(*index->entries));
	if (place >= index->cap)
		return err_memory(err);
	index->entries[place] = entry;
	return (int64_t)(HEADER_SIZE + name + extra + comment);
}

static int take_directory(struct zip_index *index,
			  const struct zip_directory *dir, struct str text,
			  struct err *err)
{
	while (text.n > 0) {
		int64_t n = take_entry(
			index, dir, (const unsigned char *)text.p, text.n, err);

		if (n <= 0)
			return (int)n;
		text = str_make(text.p + n, text.n - (size_t)n);
	}
	return 0;
}

int zip_index_read(struct zip_index *index, int fd, off_t end, struct err *err)
{
	struct zip_directory dir;
	struct buf text = buf_new(LIMIT_LIST);
	char *room;
	int code = 0;

	*index = (struct zip_index){.fd = fd,
				    .end = (uint64_t)end,
				    .names = intern_new(LIMIT_LIST)};
	if (!find_directory(fd, index->end, &dir) || dir.size > index->end ||
	    dir.size > LIMIT_LIST)
		return 0;
	room = buf_room(&text, (size_t)dir.size);
	if (room == NULL)
		code = err_memory(err);
	else if (read_at(fd, room, (size_t)dir.size, dir.at))
		code = take_directory(index, &dir,
				      str_make(room, (size_t)dir.size), err);
	buf_free(&text);
	return code;
}

void zip_index_free(struct zip_index *index)
{
	intern_free(&index->names);
	free(index->entries);
	*index = (struct zip_index){0};
}

/* Bytes ---------------------------------------------------------------- */

/* Where the bytes of an entry begin; 0: they do not stand in the file. */
static uint64_t data_of(const struct zip_index *index,
			const struct zip_entry *entry)
{
	unsigned char local[LOCAL_SIZE];
	uint64_t at;

	if (entry->header > index->end ||
	    !read_at(index->fd, local, sizeof(local), entry->header) ||
	    memcmp(local, "PK\3\4", 4) != 0)
		return 0;
	at = entry->header + LOCAL_SIZE + number(local + 26, 2) +
	     number(local + 28, 2);
	if (at > index->end || entry->packed > index->end - at)
		return 0;
	return at;
}

/* Inflate the first n bytes of an entry into `to`. */
static bool inflate_first(const struct zip_index *index,
			  const struct zip_entry *entry, uint64_t at, void *to,
			  size_t n)
{
	unsigned char in[4096];
	z_stream stream = {.next_out = to, .avail_out = (uInt)n};
	uint64_t left = entry->packed;
	int code = Z_OK;

	if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
		return false;
	while (code == Z_OK && stream.avail_out > 0 && left > 0) {
		size_t here = left < sizeof(in) ? (size_t)left : sizeof(in);

		if (!read_at(index->fd, in, here, at))
			break;
		at += here;
		left -= here;
		stream.next_in = in;
		stream.avail_in = (uInt)here;
		code = inflate(&stream, Z_SYNC_FLUSH);
	}
	inflateEnd(&stream);
	return stream.avail_out == 0;
}

static bool get_inflated(const struct zip_index *index,
			 const struct zip_entry *entry, uint64_t at,
			 uint64_t offset, void *to, size_t n)
{
	char *first;
	bool done;

	if (offset > INFLATED_MAX - n)
		return false;
	first = malloc((size_t)offset + n);
	if (first == NULL)
		return false;
	done = inflate_first(index, entry, at, first, (size_t)offset + n);
	if (done)
		memcpy(to, first + offset, n);
	free(first);
	return done;
}

bool zip_index_get(const struct zip_index *index, struct str name,
		   uint64_t offset, void *to, size_t n)
{
	uint32_t place = intern_find(&index->names, name);
	const struct zip_entry *entry;
	uint64_t at;

	if (place == INTERN_FAILED)
		return false;
	entry = &index->entries[place];
	at = data_of(index, entry);
	if (at == 0 || n > INFLATED_MAX || entry->size < n ||
	    offset > entry->size - n)
		return false;
	if (entry->method == DEFLATED)
		return get_inflated(index, entry, at, offset, to, n);
	return entry->method == STORED && entry->packed == entry->size &&
	       read_at(index->fd, to, n, at + offset);
}
