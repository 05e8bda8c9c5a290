#include "fmt/file/torch_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "fmt/file/torch_storage.h"
#include "fmt/file/zip.h"

#define NO_ENTRY UINT32_MAX

struct torch_file {
	struct byte_source source; /* first: torch_file_source casts back */
	struct input *input;
	uint64_t start; /* not a zip: where the pickle begins */
	bool is_zip;
	struct zip zip;
	struct zip_reader *reader; /* of its data.pkl */
	struct torch_storages *storages;
};

/* A file without a zip -------------------------------------------------- */

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

/* Skip the magic number, the version and the system information. */
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
		file->input->fd, file->input->begin + (off_t)file->start);
	return file->storages == NULL ? err_memory(err) : 0;
}

/* A zip ------------------------------------------------------------------ */

/* The first entry called root + ending, with any root if that is empty;
 * NO_ENTRY. */
static uint32_t find_entry(const struct zip *zip, struct str root,
			   const char *ending)
{
	for (uint32_t i = 0; i < zip->names.count; i++) {
		struct str name = intern_text(&zip->names, i);

		if (str_ends(name, ending) &&
		    (root.n == 0 ||
		     str_eq(str_make(name.p, name.n - strlen(ending)), root)))
			return i;
	}
	return NO_ENTRY;
}

/* The data.pkl in the first entry's folder, else the first data.pkl. */
static uint32_t find_data_pkl(const struct zip *zip)
{
	struct str first = str_make("", 0);
	const char *slash = NULL;
	uint32_t i = NO_ENTRY;

	if (zip->names.count > 0)
		first = intern_text(&zip->names, 0);
	if (first.n > 0)
		slash = memchr(first.p, '/', first.n);
	if (slash != NULL)
		i = find_entry(zip,
			       str_make(first.p, (size_t)(slash - first.p)),
			       "/data.pkl");
	return i != NO_ENTRY ? i
			     : find_entry(zip, str_make("", 0), "/data.pkl");
}

static int no_data_pkl(const struct zip *zip, struct err *err)
{
	bool arrays = find_entry(zip, str_make("", 0), ".npy") == 0;
	char names[96];
	size_t n = 0;

	for (uint32_t i = 0; i < zip->names.count; i++) {
		struct str name = intern_text(&zip->names, i);

		if (n + name.n + 3 <= sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n,
					      "%s%.*s", n > 0 ? ", " : "",
					      STR_ARG(name));
	}
	return err_at(err, ERR_INPUT, ERR_BYTE, (int64_t)zip->end,
		      "%s without data.pkl: not a torch file%s%.*s",
		      arrays ? "NumPy archive (.npz)" : "zip archive",
		      n > 0 ? "; it holds " : "", (int)n, names);
}

static int open_zip(struct torch_file *file, struct err *err)
{
	struct zip *zip = &file->zip;
	struct str name;
	uint32_t i;

	file->is_zip = true;
	if (zip_read(zip, file->input->fd, err) < 0)
		return err->code;
	i = find_data_pkl(zip);
	if (i == NO_ENTRY)
		return no_data_pkl(zip, err);
	name = intern_text(&zip->names, i);
	name.n -= strlen("data.pkl");
	file->reader = zip_reader_open(zip, i, err);
	if (file->reader == NULL)
		return err->code;
	file->storages = torch_storages_of_zip(zip, name);
	return file->storages == NULL ? err_memory(err) : 0;
}

static int open_any(struct torch_file *file, struct err *err)
{
	enum input_kind kind = file->input->kind;

	if (input_keep(file->input, err) < 0)
		return err->code;
	return kind == INPUT_ZIP ? open_zip(file, err)
				 : open_raw(file, kind == INPUT_LEGACY, err);
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
	torch_storages_free(file->storages);
	zip_reader_close(file->reader);
	zip_free(&file->zip);
	free(file);
}

struct pickle_storages *torch_file_storages(struct torch_file *file)
{
	return torch_storages_get(file->storages);
}

size_t torch_file_pickles(const struct torch_file *file)
{
	size_t n = 0;

	for (uint32_t i = 0; i < file->zip.names.count; i++)
		n += str_ends(intern_text(&file->zip.names, i), "/data.pkl");
	return n;
}

struct byte_source *torch_file_source(struct torch_file *file)
{
	return file->is_zip ? zip_reader_source(file->reader) : &file->source;
}

/* The rest of a file ---------------------------------------------------- */

/* The first of these bytes of the file that is not padding; `to` if there is
 * none. */
static uint64_t find_content(int fd, uint64_t from, uint64_t to)
{
	char block[4096];

	while (from < to) {
		size_t n = to - from < sizeof(block) ? (size_t)(to - from)
						     : sizeof(block);
		ssize_t got = io_pread(fd, block, n, (off_t)from);

		for (ssize_t i = 0; i < got; i++)
			if (block[i] != '\0' &&
			    strchr(" \t\r\n", block[i]) == NULL)
				return from + (uint64_t)i;
		if (got <= 0)
			return to;
		from += (uint64_t)got;
	}
	return to;
}

/* 1 with err filled if these bytes, which were not read, have content. */
static int check_unread(const struct torch_file *file, uint64_t from,
			uint64_t to, const char *where, struct err *err)
{
	uint64_t at = find_content(file->input->fd, from, to);

	if (at >= to)
		return 0;
	err_at(err, ERR_INPUT, ERR_BYTE, (int64_t)at,
	       "the %llu bytes from here, %s, are not read; give each dump as "
	       "a file of its own",
	       (unsigned long long)(to - at), where);
	return 1;
}

/* Is there more before or after what was read? */
static int check_size(struct torch_file *file, uint64_t end, struct err *err)
{
	struct stat st;
	int code = 0;

	if (fstat(file->input->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	if (file->is_zip) {
		code = check_unread(file, 0, zip_begin(&file->zip),
				    "before the dump", err);
		end = zip_end(&file->zip);
	} else if (end > 0 && file->storages != NULL) {
		end = torch_storages_end(file->storages, end);
	} else if (end > 0) {
		end += (uint64_t)file->input->begin;
	}
	if (code != 0 || end == 0)
		return code;
	return check_unread(file, end, (uint64_t)st.st_size, "after the dump",
			    err);
}

/* Read the rest of the entry for its CRC. */
static int check_sum(struct torch_file *file, struct err *err)
{
	struct byte_source *source = torch_file_source(file);
	struct err why;
	struct str block;
	int got = 1;

	while (got > 0)
		got = source->next(source, &block, err);
	if (got == 0 && zip_reader_check(file->reader, &why) == 1) {
		err_set(err, ERR_INPUT, "data.pkl %s", why.text);
		got = 1;
	}
	return got;
}

int torch_file_finish(struct torch_file *file, uint64_t end, struct err *err)
{
	int got = file->is_zip ? check_sum(file, err) : 0;

	return got != 0 ? got : check_size(file, end, err);
}
