#include "fmt/file/torch_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "fmt/file/zip_end.h"
#include "fmt/pickle/pickle.h"

enum { BLOCK = 256 * 1024 };

struct torch_file {
	struct byte_source source; /* first: torch_file_source casts back */
	int fd;
	struct archive *archive; /* of a zip, else NULL */
	bool at_end;
	bool bad_crc;
	char *block;
	off_t start; /* of a file that is no zip: where its pickle begins */
	off_t at;    /* of a zip: the next byte for libarchive */
	off_t end;   /* of a zip: where its end record ends */
};

/* LONG1 0x1950a86a20f9469cfc6c, the first pickle of the old layout. */
static const char legacy_magic[] =
	"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

enum torch_kind torch_kind_of(struct str head)
{
	struct str magic = {legacy_magic, sizeof(legacy_magic) - 1};

	if (str_starts(head, "PK\x03\x04") || str_starts(head, "PK\x05\x06"))
		return TORCH_ZIP;
	if (head.n >= magic.n && str_eq(str_make(head.p, magic.n), magic))
		return TORCH_LEGACY;
	/* PROTO, or what protocols 0 and 1 begin a container or call with. */
	if (head.n >= 2 &&
	    (head.p[0] == '\x80' || head.p[0] == '(' || head.p[0] == '}' ||
	     head.p[0] == ']' || head.p[0] == 'c'))
		return TORCH_PICKLE;
	return TORCH_NONE;
}

/* A file that is no zip ------------------------------------------------ */

static int next_raw(struct byte_source *source, struct str *block,
		    struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;
	ssize_t got = io_read(file->fd, file->block, BLOCK);

	if (got < 0)
		return err_sys(err, errno, "cannot read");
	*block = str_make(file->block, (size_t)got);
	source->left -= (uint64_t)got < source->left ? (uint64_t)got
						     : source->left;
	return got > 0;
}

static int rewind_raw(struct byte_source *source, struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;
	struct stat st;

	if (lseek(file->fd, file->start, SEEK_SET) != file->start ||
	    fstat(file->fd, &st) != 0)
		return err_sys(err, errno, "cannot read it again");
	source->left = (uint64_t)(st.st_size - file->start);
	return 0;
}

/* Pass the magic number, the version and the system's facts. */
static int pass_preamble(struct torch_file *file, struct err *err)
{
	for (int i = 0; i < 3; i++) {
		uint64_t size;

		if (pickle_skip_one(&file->source, &size, err) < 0)
			return err->code;
		file->start += (off_t)size;
		if (rewind_raw(&file->source, err) < 0)
			return err->code;
	}
	return 0;
}

static int open_raw(struct torch_file *file, enum torch_kind kind,
		    struct err *err)
{
	file->source.next = next_raw;
	file->source.rewind = rewind_raw;
	if (rewind_raw(&file->source, err) < 0)
		return err->code;
	return kind == TORCH_LEGACY ? pass_preamble(file, err) : 0;
}

/* A zip ------------------------------------------------------------------ */

static int zip_error(struct torch_file *file, off_t at, struct err *err)
{
	const char *why = archive_error_string(file->archive);

	return err_at(err, ERR_INPUT, ERR_BYTE, at, "damaged zip archive: %s",
		      why == NULL ? "no reason given" : why);
}

/* What libarchive is to see: the file up to the end of its end record. */
static la_ssize_t view_read(struct archive *archive, void *client,
			    const void **p)
{
	struct torch_file *file = client;
	off_t left = file->end - file->at;
	ssize_t got = io_pread(file->fd, file->block,
			       left < BLOCK ? (size_t)left : BLOCK, file->at);

	if (got < 0)
		archive_set_error(archive, errno, "cannot read");
	else
		file->at += got;
	*p = file->block;
	return got;
}

static la_int64_t view_seek(struct archive *archive, void *client,
			    la_int64_t offset, int whence)
{
	struct torch_file *file = client;

	(void)archive;
	if (whence == SEEK_CUR)
		offset += file->at;
	else if (whence == SEEK_END)
		offset += file->end;
	if (offset < 0)
		return ARCHIVE_FATAL;
	file->at = offset < file->end ? offset : file->end;
	return file->at;
}

static la_int64_t view_skip(struct archive *archive, void *client,
			    la_int64_t request)
{
	struct torch_file *file = client;
	off_t before = file->at;

	return view_seek(archive, client, request, SEEK_CUR) - before;
}

static int open_view(struct torch_file *file)
{
	struct archive *archive = file->archive;

	file->at = 0;
	archive_read_set_callback_data(archive, file);
	archive_read_set_read_callback(archive, view_read);
	archive_read_set_seek_callback(archive, view_seek);
	archive_read_set_skip_callback(archive, view_skip);
	return archive_read_open1(archive);
}

static int next_zip(struct byte_source *source, struct str *block,
		    struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;
	const void *p;
	size_t n;
	la_int64_t offset;
	int code;

	if (file->at_end)
		return 0;
	code = archive_read_data_block(file->archive, &p, &n, &offset);
	if (code == ARCHIVE_EOF || code == ARCHIVE_WARN) {
		const char *why = archive_error_string(file->archive);

		file->at_end = true;
		file->bad_crc = code == ARCHIVE_WARN &&
				!str_ends(str_of(why == NULL ? "" : why),
					  "should be 0x0");
		return 0;
	}
	if (code != ARCHIVE_OK)
		return zip_error(file, file->at, err);
	*block = str_make(p, n);
	source->left -= n < source->left ? n : source->left;
	return 1;
}

/* Is name ROOT/data.pkl, with the root of the first entry? */
static bool is_data_pkl(const char *name, const char *first)
{
	size_t root = strcspn(first, "/");

	return first[root] == '/' && strncmp(name, first, root + 1) == 0 &&
	       strcmp(name + root + 1, "data.pkl") == 0;
}

static int find_data_pkl(struct torch_file *file, struct err *err)
{
	struct archive_entry *entry;
	char *first = NULL;
	bool none;
	int code;

	for (;;) {
		const char *name;

		code = archive_read_next_header(file->archive, &entry);
		if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
			break;
		name = archive_entry_pathname(entry);
		if (name == NULL)
			continue;
		if (first == NULL)
			first = strdup(name);
		if (first != NULL && is_data_pkl(name, first))
			break;
	}
	none = first == NULL;
	free(first);
	if (code == ARCHIVE_EOF)
		return err_at(err, ERR_INPUT, ERR_BYTE, file->end,
			      "zip archive without data.pkl: not a torch file");
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
		return zip_error(file, none ? file->end : file->at, err);
	if (archive_entry_size_is_set(entry))
		file->source.left = (uint64_t)archive_entry_size(entry);
	return 0;
}

/* libarchive gives no name that the locale cannot spell, and the folder in
 * the archive is named after the file: read names as UTF-8, whatever that is. */
static int find_in_utf8(struct torch_file *file, struct err *err)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = (locale_t)0;
	int code;

	if (utf8 != (locale_t)0)
		before = uselocale(utf8);
	code = find_data_pkl(file, err);
	if (utf8 != (locale_t)0) {
		uselocale(before);
		freelocale(utf8);
	}
	return code;
}

static int rewind_zip(struct byte_source *source, struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;

	archive_read_free(file->archive);
	file->at_end = false;
	file->source.left = UINT64_MAX;
	file->archive = archive_read_new();
	if (file->archive == NULL)
		return err_memory(err);
	if (archive_read_support_format_zip_seekable(file->archive) !=
		    ARCHIVE_OK ||
	    open_view(file) != ARCHIVE_OK)
		return zip_error(file, file->end, err);
	return find_in_utf8(file, err);
}

static int open_zip(struct torch_file *file, struct err *err)
{
	file->source.next = next_zip;
	file->source.rewind = rewind_zip;
	file->end = zip_end_find(file->fd, err);
	return file->end < 0 ? err->code : rewind_zip(&file->source, err);
}

int torch_file_open(int fd, enum torch_kind kind, struct torch_file **opened,
		    struct err *err)
{
	struct torch_file *file = calloc(1, sizeof(*file));
	int code;

	if (file == NULL)
		return err_memory(err);
	file->fd = fd;
	file->block = malloc(BLOCK);
	if (file->block == NULL)
		code = err_memory(err);
	else
		code = kind == TORCH_ZIP ? open_zip(file, err)
					 : open_raw(file, kind, err);
	if (code < 0)
		torch_file_close(file);
	else
		*opened = file;
	return code;
}

void torch_file_close(struct torch_file *file)
{
	if (file == NULL)
		return;
	archive_read_free(file->archive);
	free(file->block);
	free(file);
}

struct byte_source *torch_file_source(struct torch_file *file)
{
	return &file->source;
}

int torch_file_finish(struct torch_file *file, struct err *err)
{
	struct str block;
	int got = 0;

	if (file->archive == NULL)
		return 0;
	do
		got = next_zip(&file->source, &block, err);
	while (got > 0);
	if (got < 0)
		return got;
	if (!file->bad_crc)
		return 0;
	err_set(err, ERR_INPUT, "data.pkl has a wrong CRC: %s",
		archive_error_string(file->archive));
	return 1;
}

const char *torch_file_version(void)
{
	return archive_version_string() + strlen("libarchive ");
}
