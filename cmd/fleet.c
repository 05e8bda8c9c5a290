#include "fleet.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "common.h"
#include "net/client/key.h"
#include "opt_read.h"

/* A side's own file, else the general one; else the variables. */
static const char *read_key(const struct fleet *fleet, const char *file,
			    const char *variable, struct buf *key)
{
	const char *files[] = {file, fleet->key_file};
	const char *texts[] = {variable, getenv("OBS_API_KEY")};
	struct err err;

	*key = buf_new(64 * KIB);
	if (key_read(files, texts, key, &err) == 0)
		return key->p;
	if (err.code == ERR_INPUT)
		die_usage("%s%s%s", err.source, *err.source ? ": " : "",
			  err.text);
	die_err(&err);
}

/* Keep keys out of core files. One byte is too little for a file and stops
 * Linux from piping a core to a program, which 0 does not (core(5)). If the
 * limit is 0 already and stays so, a piped core has no memory at least.
 * PR_SET_DUMPABLE would also take /proc/self/fd, and with it /dev/stdin, away
 * from other users than root. */
static void leave_no_core(void)
{
	const struct rlimit least = {.rlim_cur = 1, .rlim_max = 1};
	int fd = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		io_write(fd, "0", 1);
		close(fd);
	}
	setrlimit(RLIMIT_CORE, &least);
}

void fleet_default_router(struct opt_list *routers)
{
	const char *url = getenv("OBS_ROUTER");

	if (url && *url && !opt_list_add(routers, url))
		die_memory();
}

void fleet_open(struct fleet *f)
{
	struct err err;

	leave_no_core();
	f->key = read_key(f, NULL, NULL, &f->keys[0]);
	f->router_key = read_key(f, f->router_key_file,
				 getenv("OBS_ROUTER_KEY"), &f->keys[1]);
	f->worker_key = read_key(f, f->worker_key_file,
				 getenv("OBS_WORKER_KEY"), &f->keys[2]);
	f->fetch.timeout = (int64_t)(f->timeout * NS_PER_SECOND);
	f->fetch.max_bytes = (size_t)f->max_bytes;
	f->fetcher = fetch_open(&f->fetch, &err);
	if (f->fetcher == NULL)
		die_err(&err);
}

void fleet_close(struct fleet *f)
{
	fetch_close(f->fetcher);
	for (size_t i = 0; i < 3; i++)
		buf_free(&f->keys[i]);
}
