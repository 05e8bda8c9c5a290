#include "fmt/file/torch_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "fmt/file/torch_storage.h"
#include "fmt/file/zip_end.h"
#include "fmt/file/zip_index.h"

enum { BLOCK = 256 * 1024 };

struct torch_file {
	struct byte_source source; /* first: torch_file_source casts back */
	struct input *input;
	int fd;			 /* of the input */
	struct archive *archive; /* of a zip, else NULL */
	bool at_end;
	bool bad_crc;
	char *block;
	uint64_t start; /* of a file that is no zip: where its pickle begins */
	off_t at;	/* of a zip: the next byte for libarchive */
	off_t end;	/* of a zip: where its end record ends */
	struct torch_storages *storages;
};

/* A file that is no zip ------------------------------------------------ */

static int next_raw(struct byte_source *source, struct str *block,
		    struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;
	struct byte_source *bytes = &file->input->source;
	int got = bytes->next(bytes, block, err);

	source->left = bytes->left;
	return got;
}

static int rewind_raw(struct byte_source *source, struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;
	int code = input_seek(file->input, file->start, err);

	source->left = file->input->source.left;
	return code;
}

/* Pass the magic number, the version and the system's facts. */
static int pass_preamble(struct torch_file *file, struct err *err)
{
	for (int i = 0; i < 3; i++) {
		uint64_t size;

		if (pickle_skip_one(&file->source, NULL, &size, err) < 0)
			return err->code;
		file->start += size;
		if (rewind_raw(&file->source, err) < 0)
			return err->code;
	}
	return 0;
}

static int open_raw(struct torch_file *file, bool legacy, struct err *err)
{
	file->source.next = next_raw;
	file->source.rewind = rewind_raw;
	if (rewind_raw(&file->source, err) < 0)
		return err->code;
	if (!legacy)
		return 0;
	if (pass_preamble(file, err) < 0)
		return err->code;
	file->storages = torch_storages_of_legacy(
		file->fd, file->input->begin + (off_t)file->start);
	return file->storages == NULL ? err_memory(err) : 0;
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

/* Remember the folder that data.pkl was found in. */
static int keep_root(struct torch_file *file, const char *name, struct err *err)
{
	struct str root = str_make(name, strlen(name) - strlen("data.pkl"));

	if (file->storages != NULL)
		return 0;
	file->storages = torch_storages_of_zip(file->fd, file->end, root);
	return file->storages == NULL ? err_memory(err) : 0;
}

/* The names that an archive begins with, for a message. */
struct names_seen {
	char text[96];
	size_t n;
};

static void note_name(struct names_seen *seen, const char *name)
{
	size_t length = strlen(name);

	if (seen->n + length + 3 > sizeof(seen->text))
		return;
	seen->n += (size_t)snprintf(seen->text + seen->n,
				    sizeof(seen->text) - seen->n, "%s%s",
				    seen->n > 0 ? ", " : "", name);
}

static int no_data_pkl(struct torch_file *file, const struct names_seen *seen,
		       struct err *err)
{
	bool arrays = str_ends(str_of(seen->text), ".npy");

	return err_at(err, ERR_INPUT, ERR_BYTE, file->end,
		      "%s without data.pkl: not a torch file%s%s",
		      arrays ? "NumPy archive (.npz)" : "zip archive",
		      seen->n > 0 ? "; it holds " : "", seen->text);
}

/* Go to the data.pkl of the first entry's folder, or with `any` to the first
 * that there is: 1, 0 when there is none, or an error. */
static int find_data_pkl(struct torch_file *file, bool any,
			 struct names_seen *seen, struct err *err)
{
	struct archive_entry *entry;
	char *first = NULL;
	const char *name = NULL;
	bool none;
	int code;

	for (;;) {
		code = archive_read_next_header(file->archive, &entry);
		if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
			break;
		name = archive_entry_pathname(entry);
		if (name == NULL)
			continue;
		if (!any)
			note_name(seen, name);
		if (first == NULL)
			first = strdup(name);
		if (any ? str_ends(str_of(name), "/data.pkl")
			: first != NULL && is_data_pkl(name, first))
			break;
	}
	none = first == NULL;
	free(first);
	if (code == ARCHIVE_EOF)
		return 0;
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
		return zip_error(file, none ? file->end : file->at, err);
	if (archive_entry_size_is_set(entry))
		file->source.left = (uint64_t)archive_entry_size(entry);
	return keep_root(file, name, err) < 0 ? err->code : 1;
}

static int open_archive(struct torch_file *file, struct err *err)
{
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
	return 0;
}

static int go_to_data_pkl(struct torch_file *file, struct err *err)
{
	struct names_seen seen = {.n = 0};
	int found = open_archive(file, err);

	if (found == 0)
		found = find_data_pkl(file, false, &seen, err);
	if (found == 0 && open_archive(file, err) == 0)
		found = find_data_pkl(file, true, &seen, err);
	if (found == 0)
		found = err->code < 0 ? err->code
				      : no_data_pkl(file, &seen, err);
	return found < 0 ? found : 0;
}

/* libarchive gives no name that the locale cannot spell, and the folder in
 * the archive is named after the file: read names as UTF-8, whatever that is. */
static int rewind_zip(struct byte_source *source, struct err *err)
{
	struct torch_file *file = (struct torch_file *)source;
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = (locale_t)0;
	int code;

	if (utf8 != (locale_t)0)
		before = uselocale(utf8);
	code = go_to_data_pkl(file, err);
	if (utf8 != (locale_t)0) {
		uselocale(before);
		freelocale(utf8);
	}
	return code;
}

static int open_zip(struct torch_file *file, struct err *err)
{
	file->source.next = next_zip;
	file->source.rewind = rewind_zip;
	file->end = zip_end_find(file->fd, err);
	return file->end < 0 ? err->code : rewind_zip(&file->source, err);
}

static int open_any(struct torch_file *file, struct err *err)
{
	enum input_kind kind = file->input->kind;

	if (input_keep(file->input, err) < 0)
		return err->code;
	file->fd = file->input->fd;
	if (kind != INPUT_ZIP)
		return open_raw(file, kind == INPUT_LEGACY, err);
	file->block = malloc(BLOCK);
	return file->block == NULL ? err_memory(err) : open_zip(file, err);
}

int torch_file_open(struct input *input, struct torch_file **opened,
		    struct err *err)
{
	struct torch_file *file = calloc(1, sizeof(*file));
	int code;

	if (file == NULL)
		return err_memory(err);
	file->input = input;
	code = open_any(file, err);
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
	torch_storages_free(file->storages);
	free(file->block);
	free(file);
}

struct pickle_storages *torch_file_storages(struct torch_file *file)
{
	return torch_storages_get(file->storages);
}

size_t torch_file_pickles(const struct torch_file *file)
{
	struct zip_index index;
	struct err ignored = {0};
	size_t n = 0;

	if (file->archive == NULL)
		return 1;
	if (zip_index_read(&index, file->fd, file->end, &ignored) == 0)
		for (uint32_t i = 0; i < index.names.count; i++)
			n += str_ends(intern_text(&index.names, i),
				      "/data.pkl");
	zip_index_free(&index);
	return n;
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
