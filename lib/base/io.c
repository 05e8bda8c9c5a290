#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/temporary.h"

ssize_t io_read(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t io_pread(int fd, void *p, size_t n, off_t at)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got =
			pread(fd, (char *)p + have, n - have, at + (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

bool io_write(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

int out_open(struct out *out, int fd, struct err *err)
{
	*out = (struct out){.fd = fd, .p = malloc(OUT_SIZE)};
	return out->p == NULL ? err_memory(err) : 0;
}

int out_open_taker(struct out *out,
		   int (*take)(void *taker, const char *p, size_t n),
		   void *taker, struct err *err)
{
	int code = out_open(out, -1, err);

	out->take = take;
	out->taker = taker;
	return code;
}

static int append(void *taker, const char *p, size_t n)
{
	struct buf *text = taker;

	buf_put(text, p, n);
	return text->failed ? ENOMEM : 0;
}

int out_open_buf(struct out *out, struct buf *text, struct err *err)
{
	return out_open_taker(out, append, text, err);
}

int out_close_buf(struct out *out, const struct buf *text, struct err *err)
{
	struct err ignored;

	out_close(out, &ignored);
	return text->failed ? buf_error(text, err) : 0;
}

static void write_now(struct out *out, const char *p, size_t n)
{
	out->written += n;
	if (out->failed != 0)
		return;
	if (out->take != NULL)
		out->failed = out->take(out->taker, p, n);
	else if (!io_write(out->fd, p, n))
		out->failed = errno;
}

void out_flush(struct out *out)
{
	size_t n = out->n;

	out->n = 0;
	if (n > 0)
		write_now(out, out->p, n);
}

void out_put_slow(struct out *out, const char *p, size_t n)
{
	out_flush(out);
	if (n >= OUT_SIZE)
		write_now(out, p, n);
	else
		out_put(out, p, n);
}

void out_puts(struct out *out, const char *text)
{
	out_put(out, text, strlen(text));
}

char *out_room(struct out *out, size_t room)
{
	if (room > OUT_SIZE - out->n)
		out_flush(out);
	return out->p + out->n;
}

int out_close(struct out *out, struct err *err)
{
	if (out->p == NULL)
		return 0;
	out_flush(out);
	free(out->p);
	out->p = NULL;
	if (out->failed == 0)
		return 0;
	return err_sys(err, out->failed, "cannot write");
}

/* The length of path's directory with its slash; 0 if there is none. */
static int directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (int)(slash - path + 1);
}

/* Does path name an open descriptor, such as /dev/fd/3 or the target of
 * /dev/stdout? Its file must not be replaced while it is open. */
static bool names_descriptor(const char *path)
{
	return strncmp(path, "/proc/", 6) == 0 ||
	       strncmp(path, "/dev/fd/", 8) == 0;
}

/* The target of path's symbolic links, whether it exists or not; NULL with
 * errno set. realpath(3) would require that it exists. */
static char *follow_links(const char *path)
{
	enum { LINKS_MAX = 40 };
	char link[PATH_MAX];
	char *name = strdup(path);

	for (int i = 0; name != NULL && i < LINKS_MAX; i++) {
		ssize_t n = readlink(name, link, sizeof(link));
		char *next;

		if (n < 0 || names_descriptor(name))
			return name;
		if (asprintf(&next, "%.*s%.*s",
			     link[0] == '/' ? 0 : directory_length(name), name,
			     (int)n, link) < 0)
			next = NULL;
		free(name);
		name = next;
	}
	if (name != NULL)
		errno = ELOOP;
	free(name);
	return NULL;
}

/* The mode open(2) would give a new file. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* A signal handler may read it at any time. */
static void forget_temporary(struct out_file *file)
{
	char *name = file->temporary;

	file->temporary = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	free(name);
}

static int create_beside(struct out_file *file, mode_t mode, struct err *err)
{
	file->temporary = temporary_name(file->target);
	if (file->temporary == NULL)
		return err_memory(err);
	file->out.fd = temporary_create(file->temporary);
	if (file->out.fd < 0) {
		forget_temporary(file);
		return err_sys(err, errno,
			       "cannot create a temporary file in "
			       "its directory");
	}
	(void)!fchmod(file->out.fd, mode);
	return 0;
}

static int open_in_place(struct out_file *file, struct err *err)
{
	file->out.fd =
		open(file->target, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
	return file->out.fd < 0 ? err_sys(err, errno, "cannot open") : 0;
}

static int open_target(struct out_file *file, struct err *err)
{
	struct stat st;

	file->target = follow_links(file->path);
	if (file->target == NULL)
		return err_sys(err, errno, "cannot follow it");
	if (stat(file->target, &st) != 0)
		return create_beside(file, usual_mode(), err);
	if (S_ISREG(st.st_mode) && !names_descriptor(file->target))
		return create_beside(file, st.st_mode & 0777, err);
	return open_in_place(file, err);
}

int out_file_open(struct out_file *file, const char *path, struct err *err)
{
	*file = (struct out_file){.out.fd = -1, .path = strdup(path)};
	if (file->path == NULL)
		return err_memory(err);
	if (open_target(file, err) == 0 &&
	    out_open(&file->out, file->out.fd, err) == 0)
		return 0;
	out_file_abort(file);
	return err_in(err, path);
}

static int put_in_place(struct out_file *file, struct err *err)
{
	if (rename(file->temporary, file->target) != 0)
		return err_sys(err, errno, "cannot rename into place");
	forget_temporary(file);
	return 0;
}

/* The close may report a failed write, so it comes before the rename; a
 * duplicate descriptor keeps the lock until then. */
static int finish(struct out_file *file, struct err *err)
{
	int code = out_close(&file->out, err);
	int locked = fcntl(file->out.fd, F_DUPFD_CLOEXEC, 0);

	if (close(file->out.fd) != 0 && code == 0)
		code = err_sys(err, errno, "cannot close");
	file->out.fd = -1;
	if (file->temporary != NULL && code == 0)
		code = put_in_place(file, err);
	if (locked >= 0)
		close(locked);
	return code;
}

int out_file_commit(struct out_file *file, struct err *err)
{
	int code = 0;

	if (file->path != NULL && finish(file, err) < 0)
		code = err_in(err, file->path);
	out_file_abort(file);
	return code;
}

void out_file_unlink_pending(const struct out_file *file)
{
	if (file->temporary != NULL)
		unlink(file->temporary);
}

void out_file_abort(struct out_file *file)
{
	struct err ignored;

	if (file->path == NULL)
		return;
	out_file_unlink_pending(file);
	forget_temporary(file);
	out_close(&file->out, &ignored);
	if (file->out.fd >= 0)
		close(file->out.fd);
	free(file->target);
	free(file->path);
	*file = (struct out_file){0};
}

/* At the ceiling: is this the end of the input, too? */
static int expect_end(int fd, const struct buf *b, struct err *err)
{
	char extra;
	ssize_t got = io_read(fd, &extra, 1);

	if (got < 0)
		return err_sys(err, errno, "cannot read");
	if (got == 0)
		return 0;
	return err_limit(err, b->max, b->limit);
}

int io_read_all(int fd, struct buf *b, struct err *err)
{
	static const size_t step = 64 * KIB;

	while (b->n < b->max) {
		size_t left = b->max - b->n;
		size_t want = left < step ? left : step;
		char *room = buf_room(b, want);
		ssize_t got;

		if (room == NULL)
			return err_memory(err);
		got = io_read(fd, room, want);
		if (got < 0)
			return err_sys(err, errno, "cannot read");
		if (got == 0)
			return 0;
		b->n += (size_t)got;
	}
	return expect_end(fd, b, err);
}

int io_read_file(const char *path, struct buf *b, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int code;

	if (fd < 0) {
		err_sys(err, errno, "cannot open");
		return err_in(err, path);
	}
	code = io_read_all(fd, b, err);
	close(fd);
	return code == 0 ? 0 : err_in(err, path);
}

int io_unlinked(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *name;
	int fd;

	if (dir == NULL || *dir == '\0')
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0) /* if the file system supports O_TMPFILE */
		return fd;
	if (asprintf(&name, "%s/obstools.XXXXXX", dir) < 0)
		return err_memory(err);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		err_sys(err, errno, "cannot create %s", name);
	else
		unlink(name);
	free(name);
	return fd < 0 ? ERR_IO : fd;
}

static int copy(int from, int to, uint64_t max, struct err *err)
{
	static const size_t step = 256 * KIB;
	char *p = malloc(step);
	ssize_t got = p == NULL ? -1 : 1;
	int code = p == NULL ? err_memory(err) : 0;

	while (code == 0 && got > 0) {
		got = io_read(from, p, step);
		if (got < 0)
			code = err_sys(err, errno, "cannot read");
		else if ((uint64_t)got > max)
			code = ERR_LIMIT; /* io_spool says which */
		else if (!io_write(to, p, (size_t)got))
			code = err_sys(err, errno, "cannot keep a copy");
		else
			max -= (uint64_t)got;
	}
	free(p);
	return code;
}

int io_spool_limited(int fd, struct str head, size_t max, const char *limit,
		     struct err *err)
{
	int to = io_unlinked(err);
	int code = 0;

	if (to < 0)
		return to;
	if (head.n > max)
		code = ERR_LIMIT;
	else if (!io_write(to, head.p, head.n))
		code = err_sys(err, errno, "cannot keep a copy");
	if (code == 0)
		code = copy(fd, to, max - head.n, err);
	if (code == 0 && lseek(to, 0, SEEK_SET) != 0)
		code = err_sys(err, errno, "cannot rewind the copy");
	if (code == 0)
		return to;
	close(to);
	return code == ERR_LIMIT ? err_limit(err, max, limit) : code;
}

int io_written(int fd, double *written, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "cannot stat");
	*written = S_ISREG(st.st_mode)
			   ? (double)st.st_mtim.tv_sec +
				     (double)st.st_mtim.tv_nsec * 1e-9
			   : (double)NAN;
	return 0;
}
