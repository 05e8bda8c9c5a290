#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/obstools-unit-XXXXXX";

static struct str content(const char *path, struct buf *b)
{
	struct err err;

	buf_clear(b);
	return io_read_file(path, b, &err) == 0 ? buf_str(b) : str_of("none");
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void check_commit(void)
{
	struct buf b = buf_new(1000);
	struct out_file file;
	struct err err = {0};

	check_case("a file appears whole, when it is committed");
	CHECK_INT(out_file_open(&file, "f", &err), 0);
	CHECK(!exists("f"));
	CHECK(exists(file.temporary));
	out_puts(&file.out, "new");
	CHECK(!exists("f"));
	CHECK_INT(out_file_commit(&file, &err), 0);
	CHECK_STR(content("f", &b), "new");
	out_file_abort(&file);

	check_case("an aborted file leaves the old one and nothing else");
	CHECK_INT(out_file_open(&file, "f", &err), 0);
	out_puts(&file.out, "newer");
	out_file_abort(&file);
	out_file_abort(&file);
	CHECK_STR(content("f", &b), "new");
	CHECK(unlink("f") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
	CHECK(mkdir(folder, 0700) == 0 && chdir(folder) == 0);
	buf_free(&b);
}

static void check_failures(void)
{
	struct out_file file;
	struct err err = {0};

	check_case("a folder that is not there is named");
	CHECK_INT(out_file_open(&file, "no/such", &err), ERR_IO);
	CHECK_TEXT(err.source, "no/such");
	out_file_abort(&file);

	check_case("what cannot be renamed into place is an error");
	err = (struct err){0};
	CHECK_INT(out_file_open(&file, "d", &err), 0);
	CHECK(mkdir("d", 0700) == 0);
	CHECK_INT(out_file_commit(&file, &err), ERR_IO);
	CHECK(rmdir("d") == 0);
	CHECK(chdir("/") == 0 && rmdir(folder) == 0);
	CHECK(mkdir(folder, 0700) == 0 && chdir(folder) == 0);
}

static void check_full(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct err err = {0};
	struct out out;

	check_case("the first failed write is told at the end");
	CHECK_INT(out_open(&out, fd, &err), 0);
	for (int i = 0; i < 100000; i++)
		out_puts(&out, "text");
	CHECK_INT((int64_t)out_tell(&out), 400000);
	CHECK_INT(out_close(&out, &err), ERR_IO);
	CHECK_INT(out.failed, ENOSPC);
	close(fd);
}

static void check_read_all(void)
{
	struct buf b = buf_new(10);
	struct err err = {0};
	int ends[2];

	check_case("reading all stops at the ceiling");
	CHECK(pipe(ends) == 0);
	CHECK(io_write(ends[1], "1234567890", 10));
	close(ends[1]);
	CHECK_INT(io_read_all(ends[0], &b, &err), 0);
	CHECK_STR(buf_str(&b), "1234567890");
	close(ends[0]);
	buf_clear(&b);
	CHECK(pipe(ends) == 0);
	CHECK(io_write(ends[1], "12345678901", 11));
	close(ends[1]);
	CHECK_INT(io_read_all(ends[0], &b, &err), ERR_LIMIT);
	close(ends[0]);
	buf_free(&b);
}

static void check_spool(void)
{
	char text[8] = "";
	struct err err = {0};
	int ends[2], fd;

	check_case("a pipe is spooled whole, and not past the limit");
	for (uint64_t max = 5; max <= 6; max++) {
		CHECK(pipe(ends) == 0);
		CHECK(io_write(ends[1], "3456", 4));
		close(ends[1]);
		fd = io_spool(ends[0], str_of("12"), max, &err);
		close(ends[0]);
		if (max == 5) {
			CHECK_INT(fd, ERR_LIMIT);
			continue;
		}
		CHECK_INT(io_read(fd, text, sizeof(text)), 6);
		CHECK_TEXT(text, "123456");
		close(fd);
	}
}

int main(void)
{
	if (mkdtemp(folder) == NULL || chdir(folder) != 0)
		return 1;
	check_commit();
	check_failures();
	check_full();
	check_read_all();
	check_spool();
	if (chdir("/") != 0 || rmdir(folder) != 0)
		return 1;
	return check_done();
}
