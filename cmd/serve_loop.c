#include "serve_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "common.h"

int stop_descriptor(bool children)
{
	sigset_t set;
	int fd;

	sigpipe_ignore();
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (children)
		sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die(STATUS_IO, "signalfd: %s", strerror(errno));
	return fd;
}

/* How many of the pending signals request the end. */
static int read_signals(int fd)
{
	struct signalfd_siginfo info;
	int ends = 0;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		ends += info.ssi_signo != SIGCHLD;
	return ends;
}

/* Milliseconds until the next action without events. */
static int wait_ms(const struct httpd *httpd, const struct flight *flight)
{
	int64_t due = flight_due(flight);
	int wait = httpd_wait(httpd);
	int64_t left;

	if (due == INT64_MAX)
		return wait;
	left = (due - clock_monotonic()) / NS_PER_MS + 1;
	if (left < 0)
		left = 0;
	return wait < 0 || left < wait ? (int)left : wait;
}

void serve_loop(struct server *server, struct flight *flight, int signals)
{
	struct httpd *httpd = serve_httpd(server);
	struct pollfd fds[4] = {{.fd = signals, .events = POLLIN},
				{.fd = httpd_fd(httpd), .events = POLLIN}};
	struct err err = {0};
	int ends = 0;

	while (ends == 0 ||
	       (ends == 1 && (httpd_busy(httpd) || flight_runs(flight)))) {
		flight_poll(flight, fds + 2);
		if (poll(fds, 4, wait_ms(httpd, flight)) < 0 && errno != EINTR)
			die(STATUS_IO, "poll: %s", strerror(errno));
		ends += read_signals(signals);
		if (httpd_step(httpd, &err) < 0)
			die_err(&err);
		flight_step(flight, clock_monotonic());
		if (ends > 0)
			serve_drain(server);
	}
}
