#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The next open would reuse a standard descriptor that is closed; occupy it
 * with one that fails every read or write. */
static void hold_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			exit((int)STATUS_IO);
}

void program_begin(const char *name)
{
	messages_begin(name);
	hold_standard_fds();
	/* The parent may have ignored it, and filters must be ended by it. */
	signal(SIGPIPE, SIG_DFL);
	/* A file at its limit (ulimit -f) is a write error, like a full
	 * disk. */
	signal(SIGXFSZ, SIG_IGN);
}

struct call {
	int (*run)(int argc, char **argv);
	int argc;
	char **argv;
	int status;
};

static void *make_call(void *shared)
{
	struct call *call = shared;

	call->status = call->run(call->argc, call->argv);
	return NULL;
}

int run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv)
{
	struct call call = {run, argc, argv, 0};
	struct rlimit limit;
	pthread_attr_t attr;
	pthread_t thread;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 ||
	    limit.rlim_cur >= STACK_NEEDED || pthread_attr_init(&attr) != 0)
		return run(argc, argv);
	if (pthread_attr_setstacksize(&attr, STACK_NEEDED) != 0 ||
	    pthread_create(&thread, &attr, make_call, &call) != 0)
		return run(argc, argv);
	pthread_join(thread, NULL);
	return call.status;
}

void sigpipe_ignore(void)
{
	signal(SIGPIPE, SIG_IGN);
}

void die_stdout(int errnum)
{
	if (errnum == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	die(STATUS_IO, "standard output: %s", strerror(errnum));
}

int finish(void)
{
	bool failed;

	errno = 0;
	failed = ferror(stdout) != 0;
	if (fclose(stdout) != 0)
		failed = true;
	if (failed)
		die_stdout(errno ? errno : EIO);
	return (int)status_remembered();
}
