#include "sink/fresh.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

enum { BLOCK = 64 * 1024 };

const char page_end[] = "\n<script type=\"text/plain\" id=\"made-by\">"
			"obstools " OBS_VERSION "</script>\n</body>\n</html>\n";

/* Where in one JSON object the reading stands. */
struct balance {
	int64_t depth;
	bool in_string;
	bool escaped;
	bool ended; /* the outermost object was closed */
	bool broken;
};

static void take_byte(struct balance *b, char c)
{
	if (b->in_string) {
		if (!b->escaped && c == '"')
			b->in_string = false;
		b->escaped = !b->escaped && c == '\\';
		return;
	}
	if (b->ended && c != '\n' && c != '\r' && c != ' ' && c != '\t')
		b->broken = true;
	if (c == '"')
		b->in_string = true;
	else if (c == '{' || c == '[')
		b->depth++;
	else if (c == '}' || c == ']')
		b->ended = --b->depth == 0;
}

static bool is_whole_object(int fd)
{
	struct balance b = {0};
	char block[BLOCK];
	ssize_t got = io_read(fd, block, sizeof(block));

	for (; got > 0 && !b.broken; got = io_read(fd, block, sizeof(block)))
		for (ssize_t i = 0; i < got; i++)
			take_byte(&b, block[i]);
	return got == 0 && b.ended && !b.broken;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* {"cache_version":1,"pt_path":"DIR/NAME", where NAME is the dump's. A name
 * with letters that JSON escapes is not looked for further: rebuild. */
static bool names_dump(struct str head, const char *dump)
{
	static const char prefix[] = "{\"cache_version\":1,\"pt_path\":\"";
	const char *end;

	if (!str_starts(head, prefix))
		return false;
	head = str_make(head.p + sizeof(prefix) - 1,
			head.n - sizeof(prefix) + 1);
	end = memchr(head.p, '"', head.n);
	if (end == NULL)
		return false;
	head.n = (size_t)(end - head.p);
	return str_ends(head, file_name(dump)) &&
	       (head.n == strlen(file_name(dump)) ||
		head.p[head.n - strlen(file_name(dump)) - 1] == '/');
}

/* Open a file that is no older than the dump; -1 when it is not there. */
static int open_if_newer(const char *path, const char *dump)
{
	struct stat of_file, of_dump;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, &of_file) == 0 && stat(dump, &of_dump) == 0 &&
	    S_ISREG(of_file.st_mode) &&
	    (of_file.st_mtim.tv_sec > of_dump.st_mtim.tv_sec ||
	     (of_file.st_mtim.tv_sec == of_dump.st_mtim.tv_sec &&
	      of_file.st_mtim.tv_nsec >= of_dump.st_mtim.tv_nsec)))
		return fd;
	close(fd);
	return -1;
}

bool cache_is_fresh(const char *cache, const char *dump)
{
	char head[4096];
	int fd = open_if_newer(cache, dump);
	ssize_t got;
	bool fresh;

	if (fd < 0)
		return false;
	got = pread(fd, head, sizeof(head), 0);
	fresh = got > 0 && names_dump(str_make(head, (size_t)got), dump) &&
		is_whole_object(fd);
	close(fd);
	return fresh;
}

bool page_is_fresh(const char *page, const char *dump)
{
	char tail[sizeof(page_end)];
	off_t n = (off_t)strlen(page_end);
	int fd = open_if_newer(page, dump);
	bool fresh;

	if (fd < 0)
		return false;
	fresh = lseek(fd, -n, SEEK_END) >= 0 &&
		io_read(fd, tail, (size_t)n) == n &&
		memcmp(tail, page_end, (size_t)n) == 0;
	close(fd);
	return fresh;
}
