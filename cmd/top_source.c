#include "top_source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "common.h"

enum { CANNOT_RUN = 126, NOT_FOUND = 127, GRACE_MS = 2000, STEP_MS = 10 };

/* In the child. */
static noreturn void become(char **command, int out, int errors)
{
	sigset_t none;
	int code;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(out, STDOUT_FILENO);
	if (errors >= 0)
		dup2(errors, STDERR_FILENO);
	execvp(command[0], command);
	code = errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
	fprintf(stderr, "obs-top: cannot run %s: %s\n", command[0],
		strerror(errno));
	fflush(stderr);
	_exit(code);
}

/* A saved stream was given as a command. */
static void check_command(const char *name)
{
	if (strchr(name, '/') == NULL && access(name, X_OK) == 0)
		return;
	if (access(name, R_OK) == 0 && access(name, X_OK) != 0)
		die_usage("%s is not a command; to show a saved stream, use "
			  "obs-top <%s",
			  name, name);
}

static void start(struct top_source *s, char **command, bool kept)
{
	int out[2], errors[2] = {-1, -1};

	check_command(command[0]);
	if (pipe2(out, O_CLOEXEC) != 0 ||
	    (kept && pipe2(errors, O_CLOEXEC) != 0))
		die(STATUS_IO, "cannot make a pipe: %s", strerror(errno));
	s->child = fork();
	if (s->child < 0)
		die(STATUS_IO, "cannot fork: %s", strerror(errno));
	if (s->child == 0)
		become(command, out[1], errors[1]);
	close(out[1]);
	s->fd = out[0];
	s->name = command[0];
	if (!kept)
		return;
	close(errors[1]);
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	s->errors = errors[0];
}

void top_source_open(struct top_source *s, char **command, bool kept)
{
	struct err err;

	*s = (struct top_source){.name = "stdin",
				 .fd = STDIN_FILENO,
				 .errors = -1,
				 .copy = -1,
				 .message = buf_new(64 * KIB)};
	if (command != NULL)
		start(s, command, kept);
	if (io_written(s->fd, &s->written, &err) < 0) {
		err_in(&err, s->name);
		die_err(&err);
	}
}

/* Ending -------------------------------------------------------------- */

static bool has_ended(struct top_source *s, int flags)
{
	int status;

	if (s->child != 0 && waitpid(s->child, &status, flags) == s->child) {
		s->status = status;
		s->child = 0;
	}
	return s->child == 0;
}

static void end_child(struct top_source *s)
{
	static const struct timespec step = {.tv_nsec = STEP_MS * NS_PER_MS};

	if (has_ended(s, WNOHANG))
		return;
	/* One at the end of its output is about to exit. */
	s->stopped = s->fd >= 0;
	if (s->stopped)
		kill(s->child, SIGTERM);
	for (int ms = 0; ms < GRACE_MS && !has_ended(s, WNOHANG); ms += STEP_MS)
		nanosleep(&step, NULL);
	if (has_ended(s, WNOHANG))
		return;
	s->stopped = true;
	kill(s->child, SIGKILL);
	has_ended(s, 0);
}

static void report_status(const struct top_source *s)
{
	if (s->stopped)
		return;
	if (WIFSIGNALED(s->status))
		fail("%s was killed by signal %d", s->name,
		     WTERMSIG(s->status));
	else if (WEXITSTATUS(s->status) != 0)
		fail("%s exited with status %d", s->name,
		     WEXITSTATUS(s->status));
}

void top_source_close(struct top_source *s)
{
	bool ran = s->child != 0;

	end_child(s);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	if (s->errors >= 0) {
		top_source_take_errors(s);
		close(s->errors);
	}
	if (!s->stopped && s->message.n > 0)
		io_write(STDERR_FILENO, s->message.p, s->message.n);
	if (ran)
		report_status(s);
	if (s->copy >= 0)
		close(s->copy);
	buf_free(&s->message);
}

/* Reading ------------------------------------------------------------- */

void top_source_take_errors(struct top_source *s)
{
	char piece[4096];
	ssize_t got = 1;

	while (s->errors >= 0 && got > 0) {
		got = io_read(s->errors, piece, sizeof(piece));
		if (got <= 0)
			break;
		if (s->message.n > 4096) /* the last line is enough */
			buf_clear(&s->message);
		buf_put(&s->message, piece, (size_t)got);
	}
	if (got == 0) {
		close(s->errors);
		s->errors = -1;
	}
}

ssize_t top_source_read(void *source, void *p, size_t n)
{
	struct top_source *s = source;
	ssize_t got;

	if (s->fd < 0)
		return 0; /* it had already ended */
	if (s->wait != NULL && !s->wait(s->to)) {
		errno = ECANCELED; /* the end would look like the stream's */
		return -1;
	}
	got = io_read(s->fd, p, n);
	if (got > 0 && s->copy >= 0 && !io_write(s->copy, p, (size_t)got)) {
		close(s->copy);
		s->copy = -1;
	}
	if (got == 0 && s->fd > STDIN_FILENO) {
		close(s->fd);
		s->fd = -1;
	}
	return got;
}

/* The copy ------------------------------------------------------------ */

bool top_source_begin_copy(struct top_source *s, const struct metric_stream *r)
{
	static const char head[] = "# obs-scrape stream\n";
	struct str unread = metric_stream_unread(r);
	time_t t = time(NULL);
	struct tm tm;

	if (localtime_r(&t, &tm) == NULL ||
	    strftime(s->copy_name, sizeof(s->copy_name),
		     "obs-top-%Y%m%d-%H%M%S.prom", &tm) == 0)
		return false;
	s->copy = open(s->copy_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		       0644);
	if (s->copy < 0)
		return false;
	if ((r->streaming && !io_write(s->copy, head, sizeof(head) - 1)) ||
	    !io_write(s->copy, unread.p, unread.n)) {
		close(s->copy);
		s->copy = -1;
		return false;
	}
	return true;
}

/* Drop what was read of an incomplete snapshot. */
void top_source_end_copy(struct top_source *s, const struct metric_stream *r)
{
	off_t size = lseek(s->copy, 0, SEEK_END);
	off_t unread = (off_t)metric_stream_unread(r).n;

	if (size >= unread && ftruncate(s->copy, size - unread) != 0)
		warn("%s: cannot be shortened: %s", s->copy_name,
		     strerror(errno));
	close(s->copy);
	s->copy = -1;
}
