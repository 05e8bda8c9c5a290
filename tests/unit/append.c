/*
 * Appending to a trace file where the system gives less than is asked: kinds of
 * file, limits on size, and what an earlier writer left.
 */
#include "trace/append.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "trace/trace.h"

static const char path[] = "spans.jsonl";

/* What the file holds now. */
static struct str contents(void)
{
	static char bytes[64 * 1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	CHECK(n >= 0);
	if (fd >= 0)
		close(fd);
	return str_make(bytes, n < 0 ? 0 : (size_t)n);
}

/* The limit on files, which a program may raise again. */
static void limit_files(rlim_t soft)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	limit.rlim_cur = soft == RLIM_INFINITY ? limit.rlim_max : soft;
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static bool append_text(const struct append *file, const char *text)
{
	return append_lines(file, str_of(text));
}

static void check_kinds(void)
{
	struct append file;

	check_case("what is neither a file nor a device is refused");
	CHECK(append_open(&file, "/") == -1);
	CHECK_INT(errno, EISDIR);
	CHECK(mkfifo(path, 0600) == 0);
	CHECK(append_open(&file, path) == -1);
	CHECK_INT(errno, EINVAL);
	CHECK_INT(file.fd, -1);
	unlink(path);

	check_case("a device that is full takes nothing");
	CHECK(append_open(&file, "/dev/full") == 0);
	CHECK(!append_text(&file, "line\n"));
	close(file.fd);
}

static void check_limit(void)
{
	struct append file;

	check_case("lines that would pass the limit are not begun");
	limit_files(10);
	CHECK(append_open(&file, path) == 0);
	CHECK(append_text(&file, "12345\n"));
	CHECK(!append_text(&file, "67890\n"));
	CHECK(append_text(&file, "678\n"));
	limit_files(RLIM_INFINITY);
	CHECK_STR(contents(), "12345\n678\n");
	close(file.fd);
	unlink(path);
}

static void check_short_write(void)
{
	struct append file;

	check_case("lines that were written in part are told, then ended");
	CHECK(append_open(&file, path) == 0);
	limit_files(10);
	CHECK(append_text(&file, "12345\n"));
	CHECK(!append_text(&file, "67890\n"));
	limit_files(RLIM_INFINITY);
	CHECK_STR(contents(), "12345\n6789");
	close(file.fd);
	CHECK(append_open(&file, path) == 0);
	CHECK(append_text(&file, "next\n"));
	CHECK_STR(contents(), "12345\n6789\nnext\n");
	close(file.fd);
	unlink(path);
}

static void check_long(void)
{
	static char line[OBS_TRACE_ATOMIC + 2];
	struct append file;

	check_case("lines too long to be atomic are whole");
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	CHECK(append_open(&file, path) == 0);
	CHECK(append_lines(&file, str_make(line, sizeof(line))));
	CHECK(append_text(&file, "next\n"));
	CHECK(contents().n == sizeof(line) + 5);
	CHECK(memcmp(contents().p, line, sizeof(line)) == 0);
	close(file.fd);
	unlink(path);
}

int main(void)
{
	char folder[] = "/tmp/obs-unit-XXXXXX";

	if (mkdtemp(folder) == NULL || chdir(folder) != 0)
		return 1;
	signal(SIGXFSZ, SIG_IGN);
	check_kinds();
	check_limit();
	check_short_write();
	check_long();
	if (chdir("/") != 0 || rmdir(folder) != 0)
		return 1;
	return check_done();
}
