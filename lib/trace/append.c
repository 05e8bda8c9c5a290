#include "trace/append.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace.h"

/* Does the file end inside a line? */
static bool ends_in_line(int fd)
{
	struct stat st;
	char last;

	return fstat(fd, &st) == 0 && st.st_size > 0 &&
	       pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n';
}

/* End a line left by a killed writer. One that is still writing gets a moment;
 * if that is too short, its line is followed by a blank one, which readers
 * skip. */
static void end_torn_line(const struct append *file)
{
	static const struct timespec moment = {.tv_nsec = 200 * 1000L};

	if (!ends_in_line(file->fd))
		return;
	nanosleep(&moment, NULL);
	if (ends_in_line(file->fd))
		append_lines(file, str_make("\n", 1));
}

/* Does the file look like a dump or an archive, which appended text would
 * damage? */
static bool is_binary(int fd)
{
	unsigned char head[4];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n <= 0)
		return false;
	return head[0] >= 0x80 ||
	       (head[0] < ' ' && strchr("\t\n\r", head[0]) == NULL) ||
	       (n == 4 && memcmp(head, "PK\3\4", 4) == 0);
}

int append_open(struct append *file, const char *path)
{
	int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
		    O_NONBLOCK;
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	struct stat st;

	file->fd = open(path, flags, 0666);
	if (file->fd < 0)
		return -1;
	if (fstat(file->fd, &st) != 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)) ||
	    (S_ISREG(st.st_mode) && is_binary(file->fd))) {
		close(file->fd);
		file->fd = -1;
		errno = EINVAL;
		return -1;
	}
	getrlimit(RLIMIT_FSIZE, &limit);
	file->max = limit.rlim_cur;
	if (S_ISREG(st.st_mode))
		end_torn_line(file);
	return 0;
}

/* A write past the limit would raise SIGXFSZ, which ends the program. */
static bool is_past_limit(const struct append *file, size_t n)
{
	struct stat st;

	return file->max != RLIM_INFINITY && fstat(file->fd, &st) == 0 &&
	       (uint64_t)st.st_size + n > file->max;
}

static void set_lock(int fd, short type)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
	int rc;

	/* If locks are not supported, go on without. */
	do
		rc = fcntl(fd, F_OFD_SETLKW, &lock);
	while (rc != 0 && errno == EINTR);
}

static bool write_once(int fd, struct str lines)
{
	ssize_t written;

	do
		written = write(fd, lines.p, lines.n);
	while (written < 0 && errno == EINTR);
	if (written > 0 && (size_t)written < lines.n && write(fd, "\n", 1) != 1)
		return false;
	return written == (ssize_t)lines.n;
}

bool append_lines(const struct append *file, struct str lines)
{
	bool is_long = lines.n > OBS_TRACE_ATOMIC;
	bool done;

	if (is_past_limit(file, lines.n))
		return false;
	if (is_long)
		set_lock(file->fd, F_WRLCK);
	done = write_once(file->fd, lines);
	if (is_long)
		set_lock(file->fd, F_UNLCK);
	return done;
}
