#include "profile/trace_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "fmt/file/chrome_read.h"
#include "fmt/file/gzip_read.h"

struct trace_dir trace_dir_new(const char *path)
{
	return (struct trace_dir){.path = path, .arena = arena_new(LIMIT_LIST)};
}

void trace_dir_free(struct trace_dir *dir)
{
	arena_free(&dir->arena);
	free(dir->files);
}

/* One file. */

/* Read all of it: 0, or why it is incomplete. */
static int read_events(struct gzip_reader *file, uint64_t *events,
		       struct err *err)
{
	struct chrome_reader *reader = chrome_open(gzip_reader_source(file));
	struct chrome_event event;
	int rc = reader ? 1 : err_memory(err);

	while (rc == 1)
		rc = chrome_next(reader, &event, err);
	if (rc == 0) {
		const struct chrome_found *found = chrome_found(reader);

		*events = found->elements;
		if (found->truncated)
			rc = err_set(err, ERR_INPUT, "%s", found->cut.text);
	}
	chrome_close(reader);
	return rc;
}

static void check_file(struct trace_dir *dir, struct trace_file *f)
{
	struct buf path = buf_new(64 * KIB);
	struct gzip_reader *file = NULL;
	struct err err = {0};

	buf_printf(&path, "%s/%s", dir->path, f->name);
	if (!path.failed)
		file = gzip_reader_open(path.p, &err);
	f->state = TRACE_TORN;
	if (file && read_events(file, &f->events, &err) == 0)
		f->state = TRACE_COMPLETE;
	else
		f->why = arena_str(&dir->arena, str_of(err.text)).p;
	gzip_reader_close(file);
	buf_free(&path);
}

/* The directory. */

static bool is_trace(const char *name)
{
	struct str s = str_of(name);

	return name[0] != '.' &&
	       (str_ends(s, ".trace.json.gz") || str_ends(s, ".trace.json"));
}

static struct trace_file *find(struct trace_file *files, size_t n,
			       const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(files[i].name, name) == 0)
			return &files[i];
	return NULL;
}

static struct trace_file *add(struct trace_dir *dir, const char *name)
{
	struct str copy = arena_str(&dir->arena, str_of(name));

	if (!ARRAY_GROW(dir->files, dir->n, dir->cap) || copy.p == NULL)
		return NULL;
	dir->files[dir->n] = (struct trace_file){.name = copy.p, .bytes = -1};
	return &dir->files[dir->n++];
}

/* Record a file's metadata. One that changed is checked at the next scan, if it
 * is the same then. */
static void note_change(struct trace_dir *dir, struct trace_file *f,
			const struct stat *st)
{
	int64_t changed =
		st->st_mtim.tv_sec * NS_PER_SECOND + st->st_mtim.tv_nsec;

	if (f->bytes != st->st_size || f->changed != changed) {
		f->bytes = st->st_size;
		f->changed = changed;
		f->state = TRACE_NEW;
		f->old = false;
	} else if (f->state == TRACE_NEW && !f->old) {
		check_file(dir, f);
	}
}

static int note_entry(struct trace_dir *dir, int fd, const char *name,
		      struct err *err)
{
	struct trace_file *f = find(dir->files, dir->n, name);
	struct stat st;

	if (!is_trace(name) || fstatat(fd, name, &st, 0) < 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	if (f == NULL)
		f = add(dir, name);
	if (f == NULL)
		return err_memory(err);
	note_change(dir, f, &st);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct trace_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int trace_dir_scan(struct trace_dir *dir, struct err *err)
{
	DIR *stream = opendir(dir->path);
	const struct dirent *entry;
	int rc = 0;

	if (stream == NULL && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (stream == NULL)
		return err_sys(err, errno, "cannot read the directory");
	for (entry = readdir(stream); entry && rc == 0; entry = readdir(stream))
		rc = note_entry(dir, dirfd(stream), entry->d_name, err);
	closedir(stream);
	if (dir->n > 0)
		qsort(dir->files, dir->n, sizeof(*dir->files), compare_names);
	return rc;
}

void trace_dir_forget(struct trace_dir *dir)
{
	for (size_t i = 0; i < dir->n; i++)
		dir->files[i].old = true;
}

size_t trace_dir_count(const struct trace_dir *dir)
{
	size_t n = 0;

	for (size_t i = 0; i < dir->n; i++)
		n += !dir->files[i].old &&
		     dir->files[i].state == TRACE_COMPLETE;
	return n;
}

bool trace_dir_is_growing(const struct trace_dir *dir)
{
	for (size_t i = 0; i < dir->n; i++)
		if (!dir->files[i].old && dir->files[i].state != TRACE_COMPLETE)
			return true;
	return false;
}
