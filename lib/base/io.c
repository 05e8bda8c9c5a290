#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t io_read(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
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

/* "DIR/.NAME.XXXXXX" beside path. */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash == NULL ? 0 : (int)(slash - path + 1);
	char *name;

	if (asprintf(&name, "%.*s.%s.XXXXXX", dir, path, path + dir) < 0)
		return NULL;
	return name;
}

/* mkstemp's 0600 becomes what open(2) would have given. */
static void usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	(void)!fchmod(fd, 0666 & ~mask);
}

int out_file_open(struct out_file *file, const char *path, struct err *err)
{
	int fd;

	*file = (struct out_file){.path = strdup(path)};
	file->temporary = temporary_name(path);
	if (file->path == NULL || file->temporary == NULL) {
		free(file->temporary);
		file->temporary = NULL;
		out_file_abort(file);
		return err_memory(err);
	}
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0) {
		err_sys(err, errno, "cannot create a file beside it");
		free(file->temporary);
		file->temporary = NULL;
		out_file_abort(file);
		return err_in(err, path);
	}
	usual_mode(fd);
	if (out_open(&file->out, fd, err) < 0) {
		file->out.fd = fd;
		out_file_abort(file);
		return err->code;
	}
	return 0;
}

static int finish(struct out_file *file, struct err *err)
{
	int code = out_close(&file->out, err);

	if (close(file->out.fd) != 0 && code == 0)
		code = err_sys(err, errno, "cannot close");
	if (code == 0 && rename(file->temporary, file->path) != 0)
		code = err_sys(err, errno, "cannot rename into place");
	if (code != 0)
		unlink(file->temporary);
	return code;
}

int out_file_commit(struct out_file *file, struct err *err)
{
	int code = 0;

	if (file->temporary != NULL) {
		code = finish(file, err);
		if (code != 0)
			err_in(err, file->path);
		free(file->temporary);
		file->temporary = NULL;
	}
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

	if (file->temporary != NULL) {
		unlink(file->temporary);
		out_close(&file->out, &ignored);
		close(file->out.fd);
	}
	free(file->temporary);
	free(file->path);
	*file = (struct out_file){0};
}

/* The ceiling is reached: is the input at its end, too? */
static int expect_end(int fd, size_t max, struct err *err)
{
	char extra;
	ssize_t got = io_read(fd, &extra, 1);

	if (got < 0)
		return err_sys(err, errno, "cannot read");
	if (got == 0)
		return 0;
	return err_set(err, ERR_LIMIT, "is longer than %zu bytes", max);
}

int io_read_all(int fd, struct buf *b, struct err *err)
{
	static const size_t step = 64 * 1024;

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
	return expect_end(fd, b->max, err);
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

static int unlinked_file(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *name;
	int fd;

	if (dir == NULL || *dir == '\0')
		dir = "/tmp";
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
	static const size_t step = 256 * 1024;
	char *p = malloc(step);
	ssize_t got = p == NULL ? -1 : 1;
	int code = p == NULL ? err_memory(err) : 0;

	while (code == 0 && got > 0) {
		got = io_read(from, p, step);
		if (got < 0)
			code = err_sys(err, errno, "cannot read");
		else if ((uint64_t)got > max)
			code = err_set(err, ERR_LIMIT, "is too long to keep");
		else if (!io_write(to, p, (size_t)got))
			code = err_sys(err, errno, "cannot keep a copy");
		else
			max -= (uint64_t)got;
	}
	free(p);
	return code;
}

int io_spool(int fd, struct str head, uint64_t max, struct err *err)
{
	int to = unlinked_file(err);
	int code = 0;

	if (to < 0)
		return to;
	if (head.n > max)
		code = err_set(err, ERR_LIMIT, "is too long to keep");
	else if (!io_write(to, head.p, head.n))
		code = err_sys(err, errno, "cannot keep a copy");
	if (code == 0)
		code = copy(fd, to, max - head.n, err);
	if (code == 0 && lseek(to, 0, SEEK_SET) != 0)
		code = err_sys(err, errno, "cannot rewind the copy");
	if (code == 0)
		return to;
	close(to);
	return code;
}
