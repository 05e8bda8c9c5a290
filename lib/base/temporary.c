#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

#define MARK ".obstools-"
#define SUFFIX ".tmp"

enum {
	NAME_SHOWN = 200, /* of the file's name to keep; the maximum is 255 */
	HOST_MAX = 256,
	DAY = 24 * 3600,
	TRIES = 100
};

/* FNV-1a of this host's name. */
static uint32_t host_hash(void)
{
	char host[HOST_MAX] = "";
	uint32_t hash = UINT32_C(2166136261);

	(void)!gethostname(host, sizeof(host) - 1);
	for (const char *p = host; *p != '\0'; p++)
		hash = (hash ^ (unsigned char)*p) * UINT32_C(16777619);
	return hash;
}

char *temporary_name(const char *path)
{
	const char *name = file_name(path);
	char *text;

	if (asprintf(&text, "%.*s.%.*s" MARK "%08x-XXXXXX" SUFFIX,
		     (int)(name - path), path, NAME_SHOWN, name,
		     host_hash()) < 0)
		return NULL;
	return text;
}

/* Another cleaner may have locked and removed it first. */
static bool lock(int fd)
{
	struct stat st;

	while (flock(fd, LOCK_EX) != 0)
		if (errno != EINTR)
			return true; /* this file system has no locks */
	return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

int temporary_create(char *name)
{
	char *random = name + strlen(name) - strlen("XXXXXX" SUFFIX);

	for (int i = 0; i < TRIES; i++) {
		int fd;

		memcpy(random, "XXXXXX", strlen("XXXXXX"));
		fd = mkostemps(name, (int)strlen(SUFFIX), O_CLOEXEC);
		if (fd < 0 || lock(fd))
			return fd;
		close(fd);
	}
	errno = EAGAIN;
	return -1;
}

/* Is it the name of a temporary file? *own: of this host. */
static bool is_temporary(const char *name, bool *own)
{
	static const size_t tail = sizeof("01234567-XXXXXX" SUFFIX) - 1;
	struct str s = str_of(name);
	char host[16];
	const char *mark;

	if (s.n <= tail + strlen(MARK) || name[0] != '.' ||
	    !str_ends(s, SUFFIX))
		return false;
	mark = name + s.n - tail - strlen(MARK);
	snprintf(host, sizeof(host), "%08x-", host_hash());
	*own = strncmp(mark + strlen(MARK), host, strlen(host)) == 0;
	return strncmp(mark, MARK, strlen(MARK)) == 0;
}

/* Is it unused by any program? Without file locks, its age decides. */
static bool is_left_over(int fd, bool own)
{
	struct stat st;
	bool old;

	if (fstat(fd, &st) != 0)
		return false;
	old = time(NULL) - st.st_mtim.tv_sec > DAY;
	if (!own && !old)
		return false;
	return flock(fd, LOCK_EX | LOCK_NB) == 0 ||
	       (errno != EWOULDBLOCK && old);
}

/* Network file systems only lock files open for writing. */
static void clean(int dir, const char *name, bool own)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return;
	fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	if (is_left_over(fd, own))
		unlinkat(dir, name, 0);
	close(fd);
}

void temporary_clean(const char *path)
{
	char *name;
	DIR *dir = NULL;
	struct dirent *entry;

	if (asprintf(&name, "%.*s.", (int)(file_name(path) - path), path) < 0)
		return;
	dir = opendir(name);
	free(name);
	while (dir != NULL) {
		bool own;

		entry = readdir(dir);
		if (entry == NULL)
			break;
		if (is_temporary(entry->d_name, &own))
			clean(dirfd(dir), entry->d_name, own);
	}
	if (dir != NULL)
		closedir(dir);
}
