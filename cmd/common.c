#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A standard descriptor that came closed would be given to the next file
 * opened; hold its place by one that fails every read or write. */
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
	/* A parent may have left it ignored, and filters must end by it. */
	signal(SIGPIPE, SIG_DFL);
	/* A file at its limit (ulimit -f) is a failed write, as a full disk. */
	signal(SIGXFSZ, SIG_IGN);
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
