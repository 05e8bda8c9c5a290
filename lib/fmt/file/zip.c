#include "fmt/file/zip_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"

enum {
	END_SIZE = 22,
	LOCATOR_SIZE = 20,
	END64_SIZE = 56,
	HEADER_SIZE = 46, /* of an entry in the central directory */
	EXTRA64 = 1
};

/* The end record, and the longest comment. */
#define SEARCHED (1 * MIB + 64 * KIB)

/* Location of the central directory. */
struct zip_directory {
	uint64_t at, size;
	uint64_t before; /* bytes before the archive, added to all offsets */
};

int zip_damaged(uint64_t at, const char *what, struct err *err)
{
	return err_at(err, ERR_INPUT, ERR_BYTE, (int64_t)at,
		      "damaged zip archive: %s", what);
}

/* The end, and the central directory before it ----------------------------- */

/* A directory of size 0 belongs to an empty archive. */
static bool is_directory(int fd, const struct zip_directory *dir)
{
	char found[SIGNATURE_SIZE];

	return dir->size == 0 ||
	       (zip_read_at(fd, found, sizeof(found), dir->at) &&
		zip_is_signed(found, "PK\1\2"));
}

/* Read the zip64 record that ends where its locator begins. */
static bool read_end64(int fd, uint64_t at, uint64_t locator,
		       unsigned char record[END64_SIZE])
{
	enum { UNCOUNTED = 12 }; /* the signature and the size itself */

	return zip_read_at(fd, record, END64_SIZE, at) &&
	       zip_is_signed(record, "PK\6\6") &&
	       zip_number(record + 4, 8) == locator - at - UNCOUNTED;
}

/* Find the directory by the zip64 record; false if there is none. Bytes before
 * the archive shift it from the offset stated in its locator. */
static bool find_directory64(int fd, uint64_t end, struct zip_directory *dir)
{
	unsigned char locator[LOCATOR_SIZE], record[END64_SIZE];
	uint64_t stated, at;

	if (end < LOCATOR_SIZE + END64_SIZE)
		return false;
	end -= LOCATOR_SIZE;
	if (!zip_read_at(fd, locator, sizeof(locator), end) ||
	    !zip_is_signed(locator, "PK\6\7"))
		return false;
	stated = at = zip_number(locator + 8, 8);
	if (at > end - END64_SIZE || !read_end64(fd, at, end, record)) {
		at = end - END64_SIZE;
		if (stated > at || !read_end64(fd, at, end, record))
			return false;
	}
	*dir = (struct zip_directory){.size = zip_number(record + 40, 8),
				      .before = at - stated};
	if (dir->size > stated ||
	    zip_number(record + 48, 8) != stated - dir->size)
		return false;
	dir->at = at - dir->size;
	return is_directory(fd, dir);
}

/* The directory that ends where the end record at `end` begins. Bytes before
 * the archive shift it from the offset stated there. */
static bool find_directory(int fd, uint64_t end, const unsigned char *record,
			   struct zip_directory *dir)
{
	uint64_t size = zip_number(record + 12, 4);
	uint64_t offset = zip_number(record + 16, 4);

	if (find_directory64(fd, end, dir))
		return true;
	if (size > end || offset > end - size || (size == 0 && offset != end))
		return false;
	*dir = (struct zip_directory){end - size, size, end - size - offset};
	return is_directory(fd, dir);
}

/* The last end record in the n bytes at p, which are at offset start: its end,
 * or 0. */
static uint64_t search(int fd, const unsigned char *p, size_t n, uint64_t start,
		       struct zip_directory *dir)
{
	for (size_t i = n < END_SIZE ? 0 : n - END_SIZE + 1; i > 0; i--)
		if (zip_is_signed(p + i - 1, "PK\5\6") &&
		    find_directory(fd, start + i - 1, p + i - 1, dir))
			return start + i - 1 + END_SIZE;
	return 0;
}

static int find_end(struct zip *zip, struct zip_directory *dir, struct err *err)
{
	struct stat st;
	unsigned char *p;
	uint64_t start;
	size_t n;

	if (fstat(zip->fd, &st) != 0)
		return err_sys(err, errno, "cannot read");
	zip->end = (uint64_t)st.st_size;
	n = zip->end < SEARCHED ? (size_t)zip->end : SEARCHED;
	start = zip->end - n;
	p = malloc(n + 1);
	if (p == NULL)
		return err_memory(err);
	start = zip_read_at(zip->fd, p, n, start)
			? search(zip->fd, p, n, start, dir)
			: 0;
	free(p);
	if (start == 0)
		return zip_damaged(zip->end, "its central directory is missing",
				   err);
	zip->end = start;
	return 0;
}

/* Entries ------------------------------------------------------------------ */

/* The value of a size or offset that did not fit the header: the extra field
 * holds those in order, 8 bytes each. False if missing. */
static bool widen(uint64_t *v, const unsigned char **p,
		  const unsigned char *end)
{
	if (*v != UINT32_MAX)
		return true;
	if (end - *p < 8)
		return false;
	*v = zip_number(*p, 8);
	*p += 8;
	return true;
}

static bool take_extra64(struct zip_entry *entry, const unsigned char *p,
			 size_t n)
{
	const unsigned char *end = p + n;

	while (end - p >= 4) {
		size_t size = zip_number(p + 2, 2);
		const unsigned char *field = p + 4;
		const unsigned char *next = field + size;

		if (size > (size_t)(end - field))
			return false;
		if (zip_number(p, 2) == EXTRA64)
			return widen(&entry->size, &field, next) &&
			       widen(&entry->packed, &field, next) &&
			       widen(&entry->header, &field, next);
		p = next;
	}
	return true;
}

static int add_entry(struct zip *zip, struct str name,
		     const struct zip_entry *entry, struct err *err)
{
	uint32_t known = zip->names.count;
	uint32_t place = intern_add(&zip->names, name);

	if (place == INTERN_FAILED)
		return intern_error(&zip->names, err);
	if (place < known) /* the first duplicate counts */
		return 0;
	if (!ARRAY_GROW(zip->entries, place, zip->cap))
		return err_memory(err);
	zip->entries[place] = *entry;
	return 0;
}

/* Add the entry at p; returns its size, 0 if it is damaged, or a negative
 * error. */
static int64_t take_entry(struct zip *zip, uint64_t before,
			  const unsigned char *p, size_t left, struct err *err)
{
	struct zip_entry entry;
	size_t name, extra, comment;

	if (left < HEADER_SIZE || !zip_is_signed(p, "PK\1\2"))
		return 0;
	name = zip_number(p + 28, 2);
	extra = zip_number(p + 30, 2);
	comment = zip_number(p + 32, 2);
	if (left - HEADER_SIZE < name + extra + comment)
		return 0;
	entry = (struct zip_entry){.flags = (uint16_t)zip_number(p + 8, 2),
				   .method = (uint16_t)zip_number(p + 10, 2),
				   .crc = (uint32_t)zip_number(p + 16, 4),
				   .packed = zip_number(p + 20, 4),
				   .size = zip_number(p + 24, 4),
				   .header = zip_number(p + 42, 4)};
	if (!take_extra64(&entry, p + HEADER_SIZE + name, extra))
		return 0;
	entry.header += before;
	if (add_entry(zip, str_make((const char *)p + HEADER_SIZE, name),
		      &entry, err) < 0)
		return err->code;
	return (int64_t)(HEADER_SIZE + name + extra + comment);
}

static int take_directory(struct zip *zip, const struct zip_directory *dir,
			  struct str text, struct err *err)
{
	uint64_t at = dir->at;

	while (text.n > 0) {
		int64_t n = take_entry(zip, dir->before,
				       (const unsigned char *)text.p, text.n,
				       err);

		if (n < 0)
			return (int)n;
		if (n == 0)
			return zip_damaged(
				at, "an entry of its central directory", err);
		at += (uint64_t)n;
		text = str_skip(text, (size_t)n);
	}
	return 0;
}

int zip_read(struct zip *zip, int fd, struct err *err)
{
	struct zip_directory dir = {0};
	struct buf text = buf_new(LIMIT_LIST);
	char *room;
	int code;

	*zip = (struct zip){.fd = fd, .names = intern_new(LIMIT_LIST)};
	if (find_end(zip, &dir, err) < 0)
		return err->code;
	room = buf_room(&text, (size_t)dir.size);
	if (room == NULL)
		code = buf_error(&text, err);
	else if (!zip_read_at(fd, room, (size_t)dir.size, dir.at))
		code = zip_damaged(dir.at, "its central directory is missing",
				   err);
	else
		code = take_directory(zip, &dir,
				      str_make(room, (size_t)dir.size), err);
	buf_free(&text);
	return code;
}

uint64_t zip_begin(const struct zip *zip)
{
	uint64_t first = zip->end;

	for (uint32_t i = 0; i < zip->names.count; i++)
		if (zip->entries[i].header < first)
			first = zip->entries[i].header;
	return first;
}

uint64_t zip_end(const struct zip *zip)
{
	unsigned char comment[2];

	if (!zip_read_at(zip->fd, comment, sizeof(comment),
			 zip->end - sizeof(comment)))
		return zip->end;
	return zip->end + zip_number(comment, sizeof(comment));
}

void zip_free(struct zip *zip)
{
	intern_free(&zip->names);
	free(zip->entries);
	*zip = (struct zip){0};
}
