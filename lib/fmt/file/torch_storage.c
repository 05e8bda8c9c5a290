#include "fmt/file/torch_storage.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/limits.h"

enum { BLOCK = 256 * 1024, NAME_MAX_BYTES = 64 * 1024 };

/* In the older layout: a run of bytes in the file. */
struct storage_run {
	uint64_t at;
	uint64_t size;
	size_t item; /* bytes; 0: unknown */
};

struct torch_storages {
	struct pickle_storages base; /* first: the functions cast back */
	const struct zip *zip;	     /* NULL: the older layout */
	bool known;		     /* the members below are filled */
	bool big_endian;

	struct buf name; /* zip: its folder, and an entry in it */
	size_t root;	 /* bytes of the folder */

	int fd; /* the older layout */
	off_t start;
	struct intern keys;
	struct storage_run *runs; /* by key */
	size_t cap;
	uint64_t end; /* of the last; 0: unknown */
};

/* A zip -------------------------------------------------------------------- */

static struct str entry_name(struct torch_storages *s, const char *folder,
			     struct str key)
{
	s->name.n = s->root;
	buf_puts(&s->name, folder);
	buf_put(&s->name, key.p, key.n);
	return s->name.failed ? str_make("", 0) : buf_str(&s->name);
}

static void read_byteorder(struct torch_storages *s)
{
	char order[3];

	if (zip_get(s->zip, entry_name(s, "byteorder", str_of("")), 0, order,
		    sizeof(order)))
		s->big_endian = memcmp(order, "big", sizeof(order)) == 0;
}

/* The older layout --------------------------------------------------------- */

/* The file from an offset on, read without moving the file position. */
struct file_part {
	struct byte_source source;
	int fd;
	uint64_t start, at, end;
	char block[BLOCK];
};

static int next_of_window(struct byte_source *source, struct str *block,
			  struct err *err)
{
	struct file_part *w = (struct file_part *)source;
	ssize_t got = io_pread(w->fd, w->block, BLOCK, (off_t)w->at);

	if (got < 0)
		return err_sys(err, errno, "cannot read");
	*block = str_make(w->block, (size_t)got);
	w->at += (uint64_t)got;
	source->left = w->end > w->at ? w->end - w->at : 0;
	return got > 0;
}

static int rewind_window(struct byte_source *source, struct err *err)
{
	struct file_part *w = (struct file_part *)source;

	(void)err;
	w->at = w->start;
	source->left = w->end - w->at;
	return 0;
}

static struct file_part *window_at(const struct torch_storages *s,
				   uint64_t start)
{
	struct file_part *w = malloc(sizeof(*w));
	struct stat st;

	if (w == NULL || fstat(s->fd, &st) != 0 ||
	    (uint64_t)st.st_size < start) {
		free(w);
		return NULL;
	}
	w->source = (struct byte_source){next_of_window, rewind_window,
					 (uint64_t)st.st_size - start};
	w->fd = s->fd;
	w->start = w->at = start;
	w->end = (uint64_t)st.st_size;
	return w;
}

static struct storage_run *run_of(struct torch_storages *s, struct str key)
{
	uint32_t place = intern_add(&s->keys, key);

	if (place == INTERN_FAILED)
		return NULL;
	return ARRAY_GROW_ZEROED(s->runs, place, s->cap) ? &s->runs[place]
							 : NULL;
}

/* Collects the storages named by the object's pickle. */
struct collector {
	struct pickle_storages base;
	struct torch_storages *into;
};

static void note_storage(struct pickle_storages *base, struct str key,
			 size_t item)
{
	struct storage_run *run = run_of(((struct collector *)base)->into, key);

	if (run != NULL)
		run->item = item;
}

/* Read the object's pickle again for its storages; returns its size, 0 if it
 * cannot be read. */
static uint64_t read_object(struct torch_storages *s)
{
	struct collector collector = {.base.name = note_storage, .into = s};
	struct file_part *w = window_at(s, (uint64_t)s->start);
	struct err ignored = {0};
	uint64_t size = 0;

	if (w == NULL ||
	    pickle_skip_one(&w->source, &collector.base, &size, &ignored) < 0)
		size = 0;
	free(w);
	return size;
}

/* The number of items, then the items; returns where the next storage begins, 0
 * if unknown. */
static uint64_t take_run(struct torch_storages *s, struct str key, uint64_t at,
			 uint64_t end)
{
	struct storage_run *run = run_of(s, key);
	uint64_t items;

	if (run == NULL || run->item == 0 || at > INT64_MAX ||
	    io_pread(s->fd, &items, sizeof(items), (off_t)at) !=
		    (ssize_t)sizeof(items))
		return 0;
	at += sizeof(items);
	if (at > end || items > (end - at) / run->item)
		return 0;
	run->at = at;
	run->size = items * run->item;
	return at + run->size;
}

/* The keys of all storages, in file order. */
static uint64_t read_keys(struct torch_storages *s, uint64_t at,
			  struct intern *order)
{
	struct file_part *w = window_at(s, at);
	struct pickle *keys = w == NULL ? NULL : pickle_open(&w->source, NULL);
	struct err ignored = {0};
	struct value key;
	uint64_t size = 0;

	while (keys != NULL && pickle_next(keys, &key, &ignored) == 1)
		if (key.kind == VALUE_STR)
			intern_add(order, value_text(key));
	pickle_close(keys);
	free(w);
	w = window_at(s, at);
	if (w == NULL || pickle_skip_one(&w->source, NULL, &size, &ignored) < 0)
		size = 0;
	free(w);
	return size;
}

static void find_runs(struct torch_storages *s)
{
	struct intern order = intern_new(LIMIT_KEPT);
	uint64_t object = read_object(s);
	uint64_t at = (uint64_t)s->start + object;
	uint64_t keys = object == 0 ? 0 : read_keys(s, at, &order);
	struct stat st;

	at = keys == 0 || fstat(s->fd, &st) != 0 ? 0 : at + keys;
	for (uint32_t i = 0; i < order.count && at != 0; i++)
		at = take_run(s, intern_text(&order, i), at,
			      (uint64_t)st.st_size);
	s->end = at;
	intern_free(&order);
}

uint64_t torch_storages_end(struct torch_storages *s, uint64_t object)
{
	struct intern order = intern_new(LIMIT_KEPT);
	uint64_t at = (uint64_t)s->start + object;
	uint64_t keys = read_keys(s, at, &order);
	bool none = order.count == 0;

	intern_free(&order);
	if (keys == 0 || none)
		return keys == 0 ? 0 : at + keys;
	if (!s->known)
		find_runs(s);
	s->known = true;
	return s->end;
}

static bool get_run(const struct torch_storages *s, struct str key,
		    uint64_t offset, void *to, size_t n)
{
	uint32_t place = intern_find(&s->keys, key);
	const struct storage_run *run;

	if (place == INTERN_FAILED)
		return false;
	run = &s->runs[place];
	return run->size >= n && offset <= run->size - n &&
	       io_pread(s->fd, to, n, (off_t)(run->at + offset)) == (ssize_t)n;
}

/* Either ------------------------------------------------------------------- */

static bool get_bytes(struct pickle_storages *base, struct str key,
		      uint64_t offset, void *to, size_t n)
{
	struct torch_storages *s = (struct torch_storages *)base;

	if (!s->known && s->zip != NULL)
		read_byteorder(s);
	else if (!s->known)
		find_runs(s);
	s->known = true;
	return s->zip != NULL ? zip_get(s->zip, entry_name(s, "data/", key),
					offset, to, n)
			      : get_run(s, key, offset, to, n);
}

static bool is_big_endian(struct pickle_storages *base)
{
	return ((struct torch_storages *)base)->big_endian;
}

static struct torch_storages *new_storages(struct torch_storages made)
{
	struct torch_storages *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = made;
	s->base = (struct pickle_storages){.get = get_bytes,
					   .is_big_endian = is_big_endian};
	s->name = buf_new(NAME_MAX_BYTES);
	s->keys = intern_new(LIMIT_KEPT);
	return s;
}

struct torch_storages *torch_storages_of_zip(const struct zip *zip,
					     struct str root)
{
	struct torch_storages *s =
		new_storages((struct torch_storages){.zip = zip});

	if (s == NULL)
		return NULL;
	buf_put(&s->name, root.p, root.n);
	s->root = s->name.n;
	return s;
}

struct torch_storages *torch_storages_of_legacy(int fd, off_t start)
{
	return new_storages((struct torch_storages){.fd = fd, .start = start});
}

void torch_storages_free(struct torch_storages *s)
{
	if (s == NULL)
		return;
	intern_free(&s->keys);
	buf_free(&s->name);
	free(s->runs);
	free(s);
}

struct pickle_storages *torch_storages_get(struct torch_storages *s)
{
	return s == NULL ? NULL : &s->base;
}
