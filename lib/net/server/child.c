#include "net/server/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 };

struct child child_new(size_t max)
{
	return (struct child){.out = -1, .err = -1, .output = buf_new(max)};
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Starting --------------------------------------------------------------- */

void child_keep_descriptors(void)
{
#ifdef SYS_close_range
	enum { CLOEXEC = 1 << 2 }; /* CLOSE_RANGE_CLOEXEC of Linux's header */

	syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, CLOEXEC);
#endif
}

/* Signals ignored or blocked here must not be inherited: a command without
 * SIGPIPE would go on writing with no reader. */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t all, none;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	rc = posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
				    POSIX_SPAWN_SETSIGMASK);
	if (rc == 0)
		rc = posix_spawnattr_setpgroup(attributes, 0);
	if (rc == 0)
		rc = posix_spawnattr_setsigdefault(attributes, &all);
	return rc ? rc : posix_spawnattr_setsigmask(attributes, &none);
}

static int set_files(posix_spawn_file_actions_t *files, int out, int err)
{
	int rc = posix_spawn_file_actions_addopen(files, STDIN_FILENO,
						  "/dev/null", O_RDONLY, 0);

	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(files, out,
						      STDOUT_FILENO);
	return rc ? rc
		  : posix_spawn_file_actions_adddup2(files, err, STDERR_FILENO);
}

/* Returns 0 or an errno. */
static int spawn(pid_t *pid, char *const argv[], int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc == 0) {
		rc = set_attributes(&attributes);
		if (rc == 0)
			rc = set_files(&files, out, err);
		if (rc == 0)
			rc = posix_spawnp(pid, argv[0], &files, &attributes,
					  argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* Only the reading end may be non-blocking: a command may not expect EAGAIN. */
static int open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

/* Is the command or the system at fault? */
static int start_error(struct err *err, int errnum, const char *name)
{
	bool system = errnum == EAGAIN || errnum == ENOMEM ||
		      errnum == EMFILE || errnum == ENFILE;

	err_sys(err, errnum, "cannot run %s", name);
	err->code = system ? ERR_IO : ERR_INPUT;
	return err->code;
}

int child_start(struct child *c, char *const argv[], struct err *err)
{
	int out[2] = {-1, -1}, errs[2] = {-1, -1};
	int rc = open_pipe(out);
	pid_t pid = 0;

	if (rc == 0)
		rc = open_pipe(errs);
	if (rc == 0)
		rc = spawn(&pid, argv, out[1], errs[1]);
	close_end(&out[1]);
	close_end(&errs[1]);
	if (rc != 0) {
		close_end(&out[0]);
		close_end(&errs[0]);
		return start_error(err, rc, argv[0]);
	}
	buf_clear(&c->output);
	*c = (struct child){
		.pid = pid, .out = out[0], .err = errs[0], .output = c->output};
	return 0;
}

/* Reading ---------------------------------------------------------------- */

static void keep_tail(struct child *c, const char *p, size_t n)
{
	size_t drop;

	if (n > CHILD_TAIL) {
		p += n - CHILD_TAIL;
		n = CHILD_TAIL;
	}
	drop = c->tail_n + n > CHILD_TAIL ? c->tail_n + n - CHILD_TAIL : 0;
	memmove(c->tail, c->tail + drop, c->tail_n - drop);
	c->tail_n -= drop;
	memcpy(c->tail + c->tail_n, p, n);
	c->tail_n += n;
}

/* Read one piece from fd; false if none is available now. */
static bool read_piece(struct child *c, int *fd, bool is_output)
{
	char piece[PIECE];
	ssize_t n;

	if (*fd < 0)
		return false;
	do
		n = read(*fd, piece, sizeof(piece));
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno != EAGAIN))
		close_end(fd);
	if (n <= 0)
		return false;
	if (is_output)
		buf_put(&c->output, piece, (size_t)n);
	else
		keep_tail(c, piece, (size_t)n);
	return true;
}

/* A command that prints endlessly must not keep the caller here: each step
 * reads a bounded number of pieces. */
static void read_all(struct child *c)
{
	enum { STEP = 16 };
	int left = STEP;

	while (left-- > 0 && !c->output.failed && read_piece(c, &c->out, true))
		;
	left = STEP;
	while (left-- > 0 && read_piece(c, &c->err, false))
		;
}

/* Ending ----------------------------------------------------------------- */

/* Has the leader ended? It is not reaped yet. */
static bool leader_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
		       0 &&
	       info.si_pid == pid;
}

/* Kill the rest of the group, then release its number. */
static void finish(struct child *c)
{
	int status = 0;

	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	close_end(&c->out);
	close_end(&c->err);
	c->end = WIFSIGNALED(status) ? CHILD_SIGNALED : CHILD_EXITED;
	c->status = WIFSIGNALED(status) ? WTERMSIG(status)
					: WEXITSTATUS(status);
	if (c->output.failed)
		c->end = CHILD_OVERFULL;
}

/* The deadline for an ended leader's output. */
static int64_t linger_until(const struct child *c)
{
	int64_t until = c->exited + CHILD_LINGER;

	return c->kill_at != INT64_MAX && c->kill_at > until ? c->kill_at
							     : until;
}

bool child_step(struct child *c, int64_t now)
{
	if (c->pid == 0)
		return false;
	/* Checked before reading, so the leader's last output is read. */
	if (c->exited == 0 && leader_ended(c->pid))
		c->exited = now;
	read_all(c);
	if (c->output.failed)
		child_stop(c, now);
	if (c->kill_at != 0 && now >= c->kill_at) {
		kill(-c->pid, SIGKILL);
		c->kill_at = INT64_MAX;
	}
	if (c->exited == 0 || (c->out >= 0 && now < linger_until(c)))
		return false;
	finish(c);
	return true;
}

void child_stop(struct child *c, int64_t now)
{
	if (c->pid == 0 || c->kill_at != 0)
		return;
	kill(-c->pid, SIGTERM);
	c->kill_at = now + KILL_GRACE;
}

void child_free(struct child *c)
{
	if (c->pid != 0)
		finish(c);
	buf_free(&c->output);
}

/* Waiting ---------------------------------------------------------------- */

void child_poll(const struct child *c, struct pollfd fds[2])
{
	/* Past the ceiling, stop reading. */
	fds[0] = (struct pollfd){.fd = c->output.failed ? -1 : c->out,
				 .events = POLLIN};
	fds[1] = (struct pollfd){.fd = c->err, .events = POLLIN};
}

int64_t child_due(const struct child *c)
{
	int64_t due = INT64_MAX;

	if (c->pid == 0)
		return due;
	if (c->exited != 0)
		due = linger_until(c);
	if (c->kill_at != 0 && c->kill_at < due)
		due = c->kill_at;
	return due;
}

struct str child_last_line(const struct child *c)
{
	struct str text = str_trim(str_make(c->tail, c->tail_n));
	const char *lf = text.n ? memrchr(text.p, '\n', text.n) : NULL;

	if (lf == NULL)
		return text;
	return str_make(lf + 1, (size_t)(text.p + text.n - lf - 1));
}

void child_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void child_reap_others(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0 || (pid < 0 && errno == EINTR));
}
