#include "base/confine.h"

#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef OBS_INSTRUMENTED
#define OBS_INSTRUMENTED 0
#endif

/* The level of libseccomp's API at which seccomp(2) is used. */
enum { API_SECCOMP = 2 };

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* What libc, libmicrohttpd and our loop call between the last file opened and
 * the end, on any architecture: names that one does not have are passed over.
 * Clocks are calls where the vDSO cannot tell the time, as in some virtual
 * machines; a poll that SIGSTOP interrupted goes on by restart_syscall. */
static const char *const allowed[] = {
	/* connections */
	"accept", "accept4", "recv", "recvfrom", "recvmsg", "send", "sendto",
	"sendmsg", "sendfile", "sendfile64", "shutdown", "getsockname",
	"getpeername", "getsockopt", "setsockopt",
	/* files that are open */
	"read", "readv", "pread64", "write", "writev", "close", "lseek",
	"_llseek", "fstat", "fstat64", "newfstatat", "fcntl", "fcntl64",
	/* waiting */
	"poll", "ppoll", "ppoll_time64", "epoll_ctl", "epoll_wait",
	"epoll_pwait", "epoll_pwait2", "futex", "futex_time64",
	"restart_syscall", "rt_sigprocmask", "rt_sigreturn", "sched_yield",
	/* memory */
	"brk", "mmap", "mmap2", "munmap", "mremap", "madvise", "mprotect",
	/* clocks, randomness, the end */
	"clock_gettime", "clock_gettime64", "gettimeofday", "time", "getrandom",
	"exit", "exit_group"};

/* Returns 0 or a negative errno, as libseccomp does. */
static int allow_all(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed) && !rc; i++) {
		int number = seccomp_syscall_resolve_name(allowed[i]);

		if (number != __NR_SCMP_ERROR)
			rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number,
					      0);
	}
	return rc;
}

/* Refused as unknown rather than forbidden: a libc that tries a newer call
 * than those above first then does without. The filter goes by seccomp(2), of
 * Linux 3.17, or not at all: by the older prctl(2) it gets past valgrind to
 * the kernel, which then refuses what valgrind itself calls. */
static int load_filter(struct err *err)
{
	scmp_filter_ctx filter;
	int rc;

	if (seccomp_api_get() < API_SECCOMP)
		return err_set(err, ERR_IO, "there is no seccomp(2) here");
	filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	if (filter == NULL)
		return err_memory(err);
	rc = allow_all(filter);
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc == 0 ? 0 : err_sys(err, -rc, "cannot load a filter of calls");
}

int confine_to_serving(struct err *err)
{
	if (OBS_INSTRUMENTED)
		return err_set(err, ERR_IO, "this is an instrumented build");
	return load_filter(err);
}

const char *confine_version(void)
{
	return TEXT(SCMP_VER_MAJOR) "." TEXT(SCMP_VER_MINOR) "." TEXT(
		SCMP_VER_MICRO);
}
