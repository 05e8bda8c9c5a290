#include "sink/timeline/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "fmt/json/json_tree.h"
#include "sink/timeline/sink.h"

enum { PAGE_END_MAX = 512 };

bool origin_read(struct origin *origin, const char *dump)
{
	struct stat st;

	*origin = (struct origin){.path = realpath(dump, NULL)};
	if (origin->path == NULL || stat(dump, &st) != 0)
		return false;
	origin->size = st.st_size;
	origin->changed = st.st_mtim;
	origin->replaced = st.st_ctim;
	return true;
}

void origin_free(struct origin *origin)
{
	free(origin->path);
	*origin = (struct origin){0};
}

/* The cache ---------------------------------------------------------------- */

/* A file as a source for the JSON reader. */
struct file_source {
	struct byte_source source;
	int fd;
	char block[OUT_SIZE];
};

static int next_of_file(struct byte_source *source, struct str *block,
			struct err *err)
{
	struct file_source *file = (struct file_source *)source;
	ssize_t got = io_read(file->fd, file->block, sizeof(file->block));

	if (got < 0)
		return err_sys(err, errno, "cannot read");
	*block = str_make(file->block, (size_t)got);
	return got > 0;
}

/* A cache's metadata. */
struct claims {
	bool names_dump;
	struct value version;
	struct value sample_count;
	int64_t rows; /* counted */
};

/* After an element: 1 if another follows, 0 at the end, which is consumed. */
static int another(struct json_tree *tree, char end)
{
	int code = json_token_comma(&tree->t, end);

	if (code == 1)
		tree->t.p++;
	return code < 0 ? code : code == 0;
}

static int count_rows(struct json_tree *tree, int64_t *rows)
{
	int code = json_token_take(&tree->t, '[', "a list of rows");

	*rows = 0;
	if (code == 0 && json_token_peek(&tree->t, true) == ']')
		return another(tree, ']');
	do {
		if (code >= 0)
			code = json_tree_skip(tree);
		if (code == 0)
			code = another(tree, ']');
		++*rows;
	} while (code > 0);
	return code;
}

static int read_path(struct json_tree *tree, const struct origin *origin,
		     bool *names_dump)
{
	int next = json_token_peek(&tree->t, true);
	struct str path;
	int code;

	if (next != '"')
		return json_token_unexpected(&tree->t, next, "a path");
	code = json_token_string(&tree->t, true, &path);
	*names_dump = code == 0 && str_is(path, origin->path);
	return code;
}

static int read_integer(struct json_tree *tree, struct value *v)
{
	int next = json_token_peek(&tree->t, true);

	if (next < '0' || next > '9')
		return json_token_unexpected(&tree->t, next, "a count");
	return json_token_scalar(&tree->t, true, v);
}

/* A key and its value. */
static int read_member(struct json_tree *tree, const struct origin *origin,
		       struct claims *claims)
{
	enum { OTHER, ROWS, PATH, VERSION, COUNT };
	static const struct str names[] = {
		[OTHER] = STR(""),
		[ROWS] = STR("rows"),
		[PATH] = STR("pt_path"),
		[VERSION] = STR("cache_version"),
		[COUNT] = STR("sample_count"),
	};
	struct str key;
	int member = OTHER;
	int code = json_token_key(&tree->t, &key);

	if (code != 0)
		return code;
	for (int i = ROWS; i <= COUNT; i++)
		if (str_eq(key, names[i]))
			member = i;
	code = json_tree_colon(tree);
	if (code != 0)
		return code;
	if (member == ROWS)
		return count_rows(tree, &claims->rows);
	if (member == PATH)
		return read_path(tree, origin, &claims->names_dump);
	if (member == VERSION)
		return read_integer(tree, &claims->version);
	if (member == COUNT)
		return read_integer(tree, &claims->sample_count);
	return json_tree_skip(tree);
}

/* Exactly one object. */
static int read_cache(struct json_tree *tree, const struct origin *origin,
		      struct claims *claims)
{
	int code = json_token_take(&tree->t, '{', "an object");
	int next;

	do {
		if (code >= 0)
			code = read_member(tree, origin, claims);
		if (code == 0)
			code = another(tree, '}');
	} while (code > 0);
	if (code < 0)
		return code;
	next = json_token_peek(&tree->t, false);
	return next == JSON_TOKEN_END
		       ? 0
		       : json_token_unexpected(&tree->t, next, "the end");
}

static bool is_whole_cache(int fd, const struct origin *origin)
{
	struct file_source file = {.source.next = next_of_file, .fd = fd};
	struct claims claims = {.rows = -1};
	struct json_tree tree;
	struct err err;
	int code;

	json_tree_init(&tree, &file.source);
	tree.t.err = &err;
	code = read_cache(&tree, origin, &claims);
	json_tree_free(&tree);
	return code == 0 && claims.names_dump &&
	       claims.version.kind == VALUE_INT &&
	       claims.version.i == CACHE_VERSION &&
	       claims.sample_count.kind == VALUE_INT && claims.rows > 0 &&
	       claims.sample_count.i == claims.rows;
}

static bool is_older(const struct stat *st, const struct origin *origin)
{
	if (st->st_mtim.tv_sec != origin->changed.tv_sec)
		return st->st_mtim.tv_sec < origin->changed.tv_sec;
	return st->st_mtim.tv_nsec < origin->changed.tv_nsec;
}

bool cache_is_fresh(const char *cache, const struct origin *origin)
{
	struct stat st;
	int fd = open(cache, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool fresh;

	if (fd < 0)
		return false;
	fresh = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		!is_older(&st, origin) && is_whole_cache(fd, origin);
	close(fd);
	return fresh;
}

/* The page ----------------------------------------------------------------- */

/* FNV-1a: the text may contain bytes not allowed in a page. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

void page_end_put(struct buf *b, const struct origin *origin)
{
	buf_puts(b, "\n<script type=\"text/plain\" id=\"made-by\">"
		    "obstools " OBS_VERSION);
	if (origin != NULL && origin->path != NULL)
		buf_printf(b,
			   " %016" PRIx64 " %" PRId64 " %lld.%09ld %lld.%09ld",
			   hash_of(origin->path), origin->size,
			   (long long)origin->changed.tv_sec,
			   origin->changed.tv_nsec,
			   (long long)origin->replaced.tv_sec,
			   origin->replaced.tv_nsec);
	if (origin != NULL && origin->choice != NULL)
		buf_printf(b, " %016" PRIx64, hash_of(origin->choice));
	buf_puts(b, "</script>\n</body>\n</html>\n");
}

bool page_is_fresh(const char *page, const struct origin *origin)
{
	char tail[PAGE_END_MAX];
	struct buf end = buf_new(PAGE_END_MAX);
	int fd = open(page, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool fresh = false;

	page_end_put(&end, origin);
	if (fd >= 0 && !end.failed && lseek(fd, -(off_t)end.n, SEEK_END) >= 0 &&
	    io_read(fd, tail, end.n) == (ssize_t)end.n)
		fresh = memcmp(tail, end.p, end.n) == 0;
	if (fd >= 0)
		close(fd);
	buf_free(&end);
	return fresh;
}
