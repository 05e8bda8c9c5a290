#include "span_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/num.h"
#include "common.h"

enum { BLOCK = 64 * 1024, CANNOT_RUN = 126, NOT_FOUND = 127 };

/* Signals that are passed on, and those that are handled, too. */
static const int passed[] = {SIGHUP,  SIGINT,  SIGQUIT,	 SIGTERM, SIGUSR1,
			     SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGTSTP};

/* Settings here that a command does not expect. */
static const int changed[] = {SIGPIPE, SIGXFSZ, SIGCHLD};

enum { PASSED = ARRAY_SIZE(passed), CHANGED = ARRAY_SIZE(changed) };

static struct {
	struct sigaction actions[CHANGED];
	sigset_t mask;
} inherited;

struct runner {
	struct byte_source source; /* of the output; first: cast back */
	pid_t pid;		   /* 0 once it has ended */
	bool signalled;		   /* a fatal signal was received */
	int signals;
	int attr_fd;
	int out; /* -1 if none, and once it has ended */
	struct span_run *run;
	struct attr_args *attrs;
	struct buf line; /* incomplete line from attr_fd */
	char *block;	 /* output; `left` bytes at `at` are pending */
	size_t at, left;
};

void span_run_begin(void)
{
	for (size_t i = 0; i < CHANGED; i++)
		sigaction(changed[i], NULL, &inherited.actions[i]);
	sigprocmask(SIG_SETMASK, NULL, &inherited.mask);
}

static void close_output(struct runner *r)
{
	if (r->out >= 0)
		close(r->out);
	r->out = -1;
	r->left = 0;
}

/* Signals ---------------------------------------------------------------- */

static int watch_signals(void)
{
	sigset_t set;
	int fd;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < PASSED; i++)
		sigaddset(&set, passed[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die(STATUS_IO, "cannot watch signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

/* Stop as the pending signal would have; returns once continued. */
static void stop_here(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* The signal that ends a program without handlers. */
static bool ends(int signo)
{
	return signo != SIGWINCH && signo != SIGCONT && signo != SIGTSTP;
}

/* The terminal's signals reach the command directly, since it is in the same
 * process group, and so do those the command sends to its group; an alarm was
 * set for this process before exec. After the command has ended others may
 * still hold its output: then there is no one to pass a signal on to. */
static void pass_on(struct runner *r, const struct signalfd_siginfo *info)
{
	int signo = (int)info->ssi_signo;
	bool by_process = info->ssi_code <= 0;

	if (signo == SIGCHLD)
		return;
	if (ends(signo))
		r->signalled = true;
	if (ends(signo) && r->pid == 0) {
		r->run->ended_by = signo;
		close_output(r);
	}
	if (r->pid != 0 && (pid_t)info->ssi_pid != r->pid &&
	    (by_process || signo == SIGALRM || signo == SIGCONT))
		kill(r->pid, signo);
	if (signo == SIGTSTP)
		stop_here();
}

static void take_signals(struct runner *r)
{
	struct signalfd_siginfo info;
	int status;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		pass_on(r, &info);
	if (r->pid != 0 && waitpid(r->pid, &status, WNOHANG) == r->pid) {
		r->run->status = status;
		r->pid = 0;
	}
}

/* Starting --------------------------------------------------------------- */

static void open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		die(STATUS_IO, "cannot make a pipe: %s", strerror(errno));
}

/* In the child: exec the command. */
static void become(char **argv, int attr_fd, int out, int failure)
{
	int errnum;

	for (size_t i = 0; i < CHANGED; i++)
		sigaction(changed[i], &inherited.actions[i], NULL);
	sigprocmask(SIG_SETMASK, &inherited.mask, NULL);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	fcntl(attr_fd, F_SETFD, 0);
	execvp(argv[0], argv);
	errnum = errno;
	if (write(failure, &errnum, sizeof(errnum)) < 0)
		_exit(CANNOT_RUN);
	_exit(NOT_FOUND);
}

static void name_descriptor(int fd)
{
	char text[NUM_INT_MAX + 1];

	text[num_put_int(text, fd)] = '\0';
	if (setenv("OBS_TRACE_FD", text, 1) != 0)
		die_memory();
}

static void start(struct runner *r, char **argv, bool with_output)
{
	int attr[2], out[2] = {-1, -1}, failure[2];

	open_pipe(attr); /* first: a shell can only name descriptors up to 9 */
	open_pipe(failure);
	if (with_output)
		open_pipe(out);
	name_descriptor(attr[1]);
	r->signals = watch_signals();
	r->pid = fork();
	if (r->pid < 0)
		die(STATUS_IO, "cannot fork: %s", strerror(errno));
	if (r->pid == 0)
		become(argv, attr[1], out[1], failure[1]);
	close(attr[1]);
	close(failure[1]);
	if (with_output)
		close(out[1]);
	if (io_read(failure[0], &r->run->cannot_run,
		    sizeof(r->run->cannot_run)) <= 0)
		r->run->cannot_run = 0;
	close(failure[0]);
	fcntl(attr[0], F_SETFL, O_NONBLOCK);
	r->attr_fd = attr[0];
	r->out = out[0];
}

/* Running ---------------------------------------------------------------- */

/* Attributes written by the command. */
static void take_attrs(struct runner *r)
{
	char piece[4096];
	ssize_t got = 1;

	while (r->attr_fd >= 0 && got > 0) {
		got = io_read(r->attr_fd, piece, sizeof(piece));
		if (got > 0)
			attr_args_take_bytes(r->attrs, &r->line,
					     str_make(piece, (size_t)got));
	}
	if (got == 0) {
		close(r->attr_fd);
		r->attr_fd = -1;
	}
}

/* At most what fits any writable pipe: it must not block here. */
static void write_output(struct runner *r)
{
	size_t n = r->left < PIPE_BUF ? r->left : PIPE_BUF;
	ssize_t written = write(STDOUT_FILENO, r->block + r->at, n);

	if (written < 0 && errno != EINTR && errno != EAGAIN) {
		r->run->output_lost = errno;
		close_output(r);
	} else if (written > 0) {
		r->at += (size_t)written;
		r->left -= (size_t)written;
	}
}

/* Is the command's output worth waiting for? A user who ends it by a signal,
 * received here too, does not want to wait for a reader or other writers. */
static bool waits(const struct runner *r)
{
	return r->pid != 0 || !r->signalled || !WIFSIGNALED(r->run->status);
}

/* Wait for an event and handle it. Returns bytes of output that were passed on
 * completely, 0 if there are none for now. */
static size_t step(struct runner *r)
{
	struct pollfd fds[] = {
		{.fd = r->signals, .events = POLLIN},
		{.fd = r->attr_fd, .events = POLLIN},
		{.fd = r->left > 0 ? -1 : r->out, .events = POLLIN},
		{.fd = r->left > 0 ? STDOUT_FILENO : -1, .events = POLLOUT}};
	int ready = poll(fds, 4, waits(r) ? -1 : 0);
	ssize_t got;

	if (ready == 0)
		close_output(r);
	if (ready <= 0)
		return 0;
	if (fds[1].revents != 0)
		take_attrs(r);
	if (fds[0].revents != 0)
		take_signals(r);
	if (fds[3].revents != 0) {
		write_output(r);
		return r->left == 0 && r->out >= 0 ? r->at : 0;
	}
	if (fds[2].revents == 0)
		return 0;
	got = io_read(r->out, r->block, BLOCK);
	if (got < 0)
		r->run->output_lost = errno;
	if (got <= 0)
		close_output(r);
	r->at = 0;
	r->left = got > 0 ? (size_t)got : 0;
	return 0;
}

/* The output as a source, which also passes it on. */
static int next_output(struct byte_source *source, struct str *block,
		       struct err *err)
{
	struct runner *r = (struct runner *)source;
	size_t n = 0;

	(void)err;
	while (n == 0 && r->out >= 0)
		n = step(r);
	*block = str_make(r->block, n);
	return n > 0;
}

static void read_output(struct runner *r, struct sglang_meta *meta)
{
	struct err err = {0};
	struct str rest;
	bool whole;
	int code;

	r->block = malloc(BLOCK);
	if (r->block == NULL)
		die_memory();
	code = sglang_meta_read(meta, &r->source, &err);
	while (next_output(&r->source, &rest, &err) > 0)
		;
	whole = r->run->output_lost == 0 && r->run->ended_by == 0;
	if (whole && code < 0 && !meta->any)
		warn("the output is not an answer from SGLang: %s", err.text);
	else if (whole && !meta->any)
		warn("the output has no meta_info or usage");
	free(r->block);
}

struct span_run span_run(char **argv, struct attr_args *attrs,
			 struct sglang_meta *meta)
{
	struct span_run run = {0};
	struct runner r = {.source = {.next = next_output, .left = UINT64_MAX},
			   .run = &run,
			   .attrs = attrs,
			   .line = buf_new(MIB)};

	sigpipe_ignore();
	start(&r, argv, meta != NULL);
	if (meta != NULL && run.cannot_run == 0)
		read_output(&r, meta);
	while (r.pid != 0)
		step(&r);
	take_attrs(&r);
	attr_args_end_bytes(attrs, &r.line);
	if (r.attr_fd >= 0)
		close(r.attr_fd);
	close_output(&r);
	buf_free(&r.line);
	return run;
}

/* Ending ----------------------------------------------------------------- */

static void die_by(int signo)
{
	struct rlimit none = {0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none); /* the command already dumped core */
	signal(signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int span_run_finish(const struct span_run *run)
{
	if (run->cannot_run != 0)
		return run->cannot_run == ENOENT ? NOT_FOUND : CANNOT_RUN;
	if (WIFSIGNALED(run->status)) {
		die_by(WTERMSIG(run->status));
		return 128 + WTERMSIG(run->status);
	}
	if (run->ended_by != 0)
		die_by(run->ended_by);
	if (WEXITSTATUS(run->status) == 0 && run->output_lost != 0)
		die_stdout(run->output_lost);
	return WEXITSTATUS(run->status);
}
