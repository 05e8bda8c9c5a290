/*
 * Uses seccomp(2), with a filter as in its manual page. Not libseccomp, which
 * loops or dies if an allocation fails.
 */
#include "net/server/confine.h"
#include "base/array.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel's name of the architecture, which the call numbers depend on: a
 * process may use those of another. Instrumented builds have none, since their
 * tools open files and start threads as the program ends.
 */
#if defined(OBS_INSTRUMENTED)
#elif defined(__x86_64__) && defined(__LP64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef ARCH

/* Calls made by libc, libmicrohttpd and our loop after the last file is opened.
 * Clocks are calls if the vDSO cannot read the time, as in some virtual
 * machines; restart_syscall resumes a poll interrupted by SIGSTOP. */
/* clang-format off */
static const int allowed[] = {
	/* connections */
	SYS_accept, SYS_accept4, SYS_recvfrom, SYS_recvmsg, SYS_sendto,
	SYS_sendmsg, SYS_sendfile, SYS_shutdown, SYS_getsockname,
	SYS_getpeername, SYS_getsockopt, SYS_setsockopt,
	/* open files */
	SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_close,
	SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_fcntl,
	/* waiting */
	SYS_ppoll, SYS_epoll_ctl, SYS_epoll_pwait, SYS_futex,
	SYS_restart_syscall, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_sched_yield,
	/* memory */
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_mprotect,
	/* clocks, randomness, exit */
	SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom, SYS_exit,
	SYS_exit_group,
#ifdef SYS_epoll_pwait2
	SYS_epoll_pwait2,
#endif
#ifdef __x86_64__ /* older forms of some */
	SYS_poll, SYS_epoll_wait, SYS_time,
#endif
};
/* clang-format on */

enum { ALLOWED = ARRAY_SIZE(allowed) };

/* Fail with ENOSYS rather than EPERM: a libc that tries a newer call first then
 * falls back. */
static int load_filter(void)
{
	const struct sock_filter is_arch[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	};
	enum { HEAD = ARRAY_SIZE(is_arch) };
	struct sock_filter code[HEAD + ALLOWED + 2];
	struct sock_filter *p = code;
	struct sock_fprog program = {.filter = code};

	for (int i = 0; i < HEAD; i++)
		*p++ = is_arch[i];
	for (int i = 0; i < ALLOWED; i++) /* jump over the rest, and RET */
		*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						    (unsigned)allowed[i],
						    (uint8_t)(ALLOWED - i), 0);
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					    SECCOMP_RET_ERRNO | ENOSYS);
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)(p - code);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

#else

static int load_filter(void)
{
	errno = ENOSYS;
	return -1;
}

#endif

int confine_to_serving(struct err *err)
{
	/* Else the kernel requires CAP_SYS_ADMIN. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || load_filter() != 0)
		return err_sys(err, errno, "seccomp");
	return 0;
}
