#include "fmt/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"

enum { HEAD_MIN = 16 * 1024, HEAD_MAX = 1024 * 1024, BLOCK = 256 * 1024 };

/* Reading ------------------------------------------------------------------ */

ssize_t input_read(void *input, void *p, size_t n)
{
	struct input *in = input;
	size_t left = in->head.n - in->given;

	if (left == 0) {
		in->moved = true;
		return io_read(in->fd, p, n);
	}
	n = n < left ? n : left;
	memcpy(p, in->head.p + in->given, n);
	in->given += n;
	return (ssize_t)n;
}

static int next(struct byte_source *source, struct str *block, struct err *err)
{
	struct input *in = (struct input *)source;
	ssize_t got = (ssize_t)(in->head.n - in->given);

	*block = str_make(in->head.p + in->given, (size_t)got);
	in->given = in->head.n;
	if (got == 0) {
		got = input_read(in, in->block, BLOCK);
		*block = str_make(in->block, (size_t)got);
	}
	if (got < 0)
		return err_sys(err, errno, "cannot read");
	source->left -= source->left == UINT64_MAX     ? 0
			: source->left < (uint64_t)got ? source->left
						       : (uint64_t)got;
	return got > 0;
}

int input_seek(struct input *in, uint64_t at, struct err *err)
{
	uint64_t n = in->head.n;
	off_t place = in->begin + (off_t)(at > n ? at : n);

	if (in->moved || at > n) {
		if (in->begin < 0)
			return err_sys(err, ESPIPE, "cannot read it again");
		if (lseek(in->fd, place, SEEK_SET) != place)
			return err_sys(err, errno, "cannot read it again");
	}
	in->moved = at > n;
	in->given = at > n ? n : at;
	in->source.left = in->size;
	if (in->size != UINT64_MAX)
		in->source.left -= at < in->size ? at : in->size;
	return 0;
}

static int rewind_source(struct byte_source *source, struct err *err)
{
	return input_seek((struct input *)source, 0, err);
}

int input_read_all(struct input *in, struct buf *b, struct err *err)
{
	struct str block;
	int got = 1;

	while (got == 1 && !b->failed) {
		got = next(&in->source, &block, err);
		if (got == 1)
			buf_put(b, block.p, block.n);
	}
	if (got < 0)
		return got;
	return b->failed ? buf_error(b, err) : 0;
}

/* Find out whether it is seekable, and its length. */
static void measure(struct input *in)
{
	struct stat st;

	in->begin = lseek(in->fd, 0, SEEK_CUR);
	in->size = UINT64_MAX;
	if (in->begin >= 0 && fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode))
		in->size = in->begin < st.st_size
				   ? (uint64_t)(st.st_size - in->begin)
				   : 0;
}

int input_keep(struct input *in, struct err *err)
{
	int fd;

	if (in->begin >= 0)
		return 0;
	fd = io_spool(in->fd, in->head, LIMIT_SPOOL, err);
	if (fd < 0)
		return fd;
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	in->fd = fd;
	in->moved = true;
	measure(in);
	return input_seek(in, in->given, err);
}

/* Opening ------------------------------------------------------------------ */

/* Does the head end within the first non-blank line of what may be JSON? */
static bool is_short(struct str head)
{
	head = input_text(head);
	return head.n == 0 || ((*head.p == '{' || *head.p == '[') &&
			       memchr(head.p, '\n', head.n) == NULL);
}

static int read_head(struct input *in, struct err *err)
{
	size_t want = HEAD_MIN;
	ssize_t got = 1;

	while (got > 0 && want <= HEAD_MAX) {
		size_t missing = want - in->head.n;
		char *room = buf_room(&in->bytes, missing);

		if (room == NULL)
			return err_memory(err);
		got = io_read(in->fd, room, missing);
		if (got < 0)
			return err_sys(err, errno, "cannot read");
		in->bytes.n += (size_t)got;
		in->head = buf_str(&in->bytes);
		if (in->head.n == want)
			want = is_short(in->head) ? 2 * want : HEAD_MAX + 1;
	}
	in->kind = input_kind_of(in->head, &in->kind_name);
	in->source.left = in->size;
	return 0;
}

bool input_widen_head(struct input *in)
{
	size_t before = in->head.n, want = 2 * before;
	ssize_t got = 1;

	if (in->moved || in->given > 0 || want > LIMIT_LINE)
		return false;
	while (got > 0 && in->bytes.n < want) {
		char *room = buf_room(&in->bytes, want - in->bytes.n);

		got = room == NULL ? 0
				   : io_read(in->fd, room, want - in->bytes.n);
		in->bytes.n += got > 0 ? (size_t)got : 0;
	}
	in->head = buf_str(&in->bytes);
	return in->head.n > before;
}

struct input *input_of(int fd, struct err *err)
{
	struct input *in = calloc(1, sizeof(*in));

	if (in != NULL) {
		*in = (struct input){.source = {next, rewind_source, 0},
				     .fd = fd,
				     .bytes = buf_new(LIMIT_LINE),
				     .block = malloc(BLOCK)};
		measure(in);
	} else if (fd != STDIN_FILENO) {
		close(fd);
	}
	if (in == NULL || in->block == NULL)
		err_memory(err);
	else if (read_head(in, err) == 0)
		return in;
	input_close(in);
	return NULL;
}

struct input *input_open(const char *name, struct err *err)
{
	bool is_stdin = strcmp(name, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return input_of(fd, err);
	err_sys(err, errno, "cannot open");
	return NULL;
}

void input_close(struct input *in)
{
	if (in == NULL)
		return;
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	buf_free(&in->bytes);
	free(in->block);
	free(in);
}
