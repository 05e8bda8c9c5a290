/*
 * A library to preload that lets the system refuse one call of a program, to
 * see what the program makes of it.
 *
 *	OBS_FAULT=CALL:N[+]:HOW   the Nth CALL, or all from the Nth on, goes HOW
 *	OBS_FAULT_LOG=FILE        at the end, FILE has a line "CALL COUNT" for
 *	                          each that was called, and without OBS_FAULT
 *	                          "alloc@N 1" for the Nth allocation if it is
 *	                          the first from its place and that one's callers
 *
 * CALL is a name of calls[] below. HOW is the number of an errno, or "short":
 * the call does one byte. Counting begins with main and takes in what
 * libraries call, but for allocations: those of libraries are "inner".
 * Descriptor 2 is left alone, so that messages are seen, and a failing close
 * closes. What the program starts runs without this.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "places.h"

enum call {
	ALLOC,
	INNER,
	OPEN,
	READ,
	WRITE,
	CLOSE,
	STAT,
	RENAME,
	SEEK,
	RECEIVE,
	SEND,
	POLL,
	SOCKET,
	PIPE,
	CALLS
};

static const char *const calls[CALLS] = {
	"alloc",  "inner", "open",    "read", "write", "close",	 "stat",
	"rename", "seek",  "receive", "send", "poll",  "socket", "pipe",
};

enum { SHORT = -1, LOG_FD = 500 };

static atomic_long counts[CALLS];
static bool armed;
static struct {
	int call;
	long at;
	bool on; /* and all later ones */
	int how; /* errno or SHORT */
} fault = {.call = CALLS};
static int log_fd = -1;
static uintptr_t text_begin, text_end;
static int (*real_main)(int, char **, char **);

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Count a call; returns 0, or how it shall go. */
static int fate(enum call call)
{
	long n;

	if (!armed || call == CALLS)
		return 0;
	n = atomic_fetch_add(&counts[call], 1) + 1;
	if ((int)call != fault.call ||
	    (fault.on ? n < fault.at : n != fault.at))
		return 0;
	return fault.how;
}

/* Whether the call fails; errno is set then. */
static bool fails(enum call call)
{
	int how = fate(call);

	if (how > 0)
		errno = how;
	return how > 0;
}

/* ---- arming */

static int find_text(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	text_begin = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		text_begin = at < text_begin ? at : text_begin;
		text_end = at + h->p_memsz > text_end ? at + h->p_memsz
						      : text_end;
	}
	return 1; /* the program is the first */
}

static void read_fault(const char *text)
{
	const char *colon = strchr(text, ':');
	char *end;

	for (int i = 0; colon != NULL && i < CALLS; i++)
		if (strlen(calls[i]) == (size_t)(colon - text) &&
		    memcmp(calls[i], text, strlen(calls[i])) == 0)
			fault.call = i;
	if (colon == NULL || fault.call == CALLS)
		abort();
	fault.at = strtol(colon + 1, &end, 10);
	fault.on = *end == '+';
	end += fault.on;
	if (*end++ != ':')
		abort();
	fault.how = strcmp(end, "short") == 0 ? SHORT
					      : (int)strtol(end, NULL, 10);
}

/* A program may have confined itself at its end; out of the way of those
 * descriptors that it opens. */
static void open_log(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	log_fd = fcntl(fd, F_DUPFD_CLOEXEC, LOG_FD);
	if (log_fd < 0)
		abort();
	close(fd);
}

/* What runs at exit is not the program's: that which writes counters. */
static void disarm(void)
{
	armed = false;
}

static int begin(int argc, char **argv, char **envp)
{
	const char *text = getenv("OBS_FAULT");
	const char *path = getenv("OBS_FAULT_LOG");

	dl_iterate_phdr(find_text, NULL);
	if (path != NULL)
		open_log(path);
	if (text != NULL)
		read_fault(text);
	if (path != NULL && text == NULL)
		places_want();
	unsetenv("LD_PRELOAD");
	if (atexit(disarm) != 0)
		abort();
	armed = true;
	return real_main(argc, argv, envp);
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier): the libc names it so */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(int (*)(int, char **, char **), int, char **,
		    void (*)(void), void (*)(void), void (*)(void),
		    void *) = next("__libc_start_main");

	real_main = main;
	return real(begin, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void log_counts(void)
{
	char line[64];

	for (int i = 0; i < CALLS; i++) {
		int n = snprintf(line, sizeof(line), "%s %ld\n", calls[i],
				 counts[i]);

		if (log_fd >= 0 && counts[i] > 0 &&
		    write(log_fd, line, (size_t)n) < 0)
			abort();
	}
	for (size_t i = 0; log_fd >= 0 && i < places.n; i++) {
		int n = snprintf(line, sizeof(line), "alloc@%ld 1\n",
				 places.first[i]);

		if (write(log_fd, line, (size_t)n) < 0)
			abort();
	}
}

/* ---- memory */

/* What dlsym allocates while the allocator is looked up. */
static char early[4096];
static size_t early_used;

static bool is_early(const void *p)
{
	return (const char *)p >= early &&
	       (const char *)p < early + sizeof(early);
}

static void *early_alloc(size_t n)
{
	void *p = early + early_used;

	early_used += (n + 15) / 16 * 16;
	return early_used <= sizeof(early) ? p : NULL;
}

/* Of an allocation called from a place: whether it fails. */
static bool lacks(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	if (at >= text_begin && at < text_end) {
		bool lacking = fails(ALLOC);

		if (armed)
			places_note(atomic_load(&counts[ALLOC]));
		return lacking;
	}
	return armed && fails(INNER);
}

#define CALLER __builtin_return_address(0)

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);

static bool find_allocator(void)
{
	static bool finding;

	if (finding)
		return false;
	finding = true;
	real_malloc = next("malloc");
	real_calloc = next("calloc");
	real_realloc = next("realloc");
	real_free = next("free");
	finding = false;
	return true;
}

void *malloc(size_t n)
{
	if (real_malloc == NULL && !find_allocator())
		return early_alloc(n);
	return lacks(CALLER) ? NULL : real_malloc(n);
}

void *calloc(size_t count, size_t n)
{
	if (real_calloc == NULL && !find_allocator())
		return early_alloc(count * n);
	return lacks(CALLER) ? NULL : real_calloc(count, n);
}

void *realloc(void *p, size_t n)
{
	if (real_realloc == NULL && !find_allocator())
		return NULL;
	return lacks(CALLER) ? NULL : real_realloc(p, n);
}

void free(void *p)
{
	if (p == NULL || is_early(p) ||
	    (real_free == NULL && !find_allocator()))
		return;
	real_free(p);
}

/* ---- files and sockets */

typedef ssize_t read_call(int, void *, size_t);
typedef ssize_t pread_call(int, void *, size_t, off_t);
typedef ssize_t write_call(int, const void *, size_t);
typedef int fd_call(int);
typedef int openat_call(int, const char *, int, ...);
typedef int stat_call(const char *, struct stat *);
typedef int fstat_call(int, struct stat *);
typedef int rename_call(const char *, const char *);
typedef off_t lseek_call(int, off_t, int);
typedef ssize_t receive_call(int, void *, size_t, int);
typedef ssize_t send_call(int, const void *, size_t, int);
typedef int poll_call(struct pollfd *, nfds_t, int);
typedef int socket_call(int, int, int);
typedef int pipe_call(int[2], int);
typedef int temporary_call(char *, int);

/* Of a call that goes how; what is no file, pipe or socket gives all or
 * nothing. */
static size_t cut(int how, int fd, size_t n)
{
	static fstat_call *real;
	struct stat st;

	if (how != SHORT || n <= 1)
		return n;
	if (real == NULL)
		real = next("fstat");
	return real(fd, &st) == 0 && (st.st_mode & S_IFMT) != 0 ? 1 : n;
}

/* The body of a call NAME that fails or is passed on. */
#define PASS_ON(call, failure, type, name, ...)                                \
	static type *real;                                                     \
                                                                               \
	if (real == NULL)                                                      \
		real = next(name);                                             \
	return fails(call) ? failure : real(__VA_ARGS__)

/* The body of a call NAME on fd that fails or does less. */
#define PASS_LESS(call, type, name, ...)                                       \
	static type *real;                                                     \
	int how = fate(call);                                                  \
                                                                               \
	if (real == NULL)                                                      \
		real = next(name);                                             \
	if (how > 0)                                                           \
		errno = how;                                                   \
	return how > 0 ? -1 : real(fd, p, cut(how, fd, n), ##__VA_ARGS__)

ssize_t read(int fd, void *p, size_t n)
{
	PASS_LESS(READ, read_call, "read");
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	PASS_LESS(READ, pread_call, "pread", at);
}

/* What a fortified program calls instead. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the libc names it so */
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the libc names it so */
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room);

ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, p, n);
}

ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room)
{
	if (n > room)
		abort();
	return pread(fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
	PASS_LESS(fd == 2 ? CALLS : WRITE, write_call, "write");
}

ssize_t recv(int fd, void *p, size_t n, int flags)
{
	PASS_LESS(RECEIVE, receive_call, "recv", flags);
}

ssize_t send(int fd, const void *p, size_t n, int flags)
{
	PASS_LESS(SEND, send_call, "send", flags);
}

int openat(int dir, const char *path, int flags, ...)
{
	static openat_call *real;
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (real == NULL)
		real = next("openat");
	return fails(OPEN) ? -1 : real(dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return openat(AT_FDCWD, path, flags, mode);
}

/* What a fortified program calls instead of open with two arguments. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the libc names it so */
int __open_2(const char *path, int flags);

int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

int mkostemp(char *pattern, int flags)
{
	PASS_ON(OPEN, -1, temporary_call, "mkostemp", pattern, flags);
}

/* A file whose close can lose something. */
static bool is_written(int fd)
{
	static fstat_call *real;
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (real == NULL)
		real = next("fstat");
	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       real(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int close(int fd)
{
	static fd_call *real;
	int how = is_written(fd) ? fate(CLOSE) : 0;
	int rc;

	if (real == NULL)
		real = next("close");
	rc = real(fd);
	if (how > 0)
		errno = how;
	return how > 0 ? -1 : rc;
}

int fstat(int fd, struct stat *st)
{
	PASS_ON(STAT, -1, fstat_call, "fstat", fd, st);
}

int stat(const char *path, struct stat *st)
{
	PASS_ON(STAT, -1, stat_call, "stat", path, st);
}

int rename(const char *from, const char *to)
{
	PASS_ON(RENAME, -1, rename_call, "rename", from, to);
}

off_t lseek(int fd, off_t at, int whence)
{
	PASS_ON(SEEK, -1, lseek_call, "lseek", fd, at, whence);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	PASS_ON(POLL, -1, poll_call, "poll", fds, n, timeout);
}

int socket(int domain, int type, int protocol)
{
	PASS_ON(SOCKET, -1, socket_call, "socket", domain, type, protocol);
}

int pipe2(int fds[2], int flags)
{
	PASS_ON(PIPE, -1, pipe_call, "pipe2", fds, flags);
}
