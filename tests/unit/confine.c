/* A process that confined itself: what is refused, and what goes on. It is a
 * child, since there is no way back. */
#include "net/server/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "net/server/listen.h"

enum { DONE = 0, NOT_CONFINED = 10 };

static bool refused(int64_t rc)
{
	return rc == -1 && errno == ENOSYS;
}

static bool opens_nothing(int held)
{
	return refused(open("/dev/null", O_RDONLY)) &&
	       refused(openat(held, "x", O_CREAT | O_WRONLY, 0600)) &&
	       refused(unlink("/nonexistent")) &&
	       refused(chdir("/nonexistent"));
}

static bool runs_nothing(void)
{
	char *argv[] = {(char *)(uintptr_t) "true", NULL};

	return refused(execvp("/bin/true", argv)) && refused(fork()) &&
	       refused(kill(getppid(), 0));
}

static bool connects_nothing(int fd)
{
	struct sockaddr_in to = {.sin_family = AF_INET};

	return refused(socket(AF_INET, SOCK_STREAM, 0)) &&
	       refused(socket(AF_UNIX, SOCK_DGRAM, 0)) &&
	       refused(bind(fd, (struct sockaddr *)&to, sizeof(to))) &&
	       refused(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

/* Take a connection and answer one byte by one. */
static bool serves(int listener)
{
	char c = 0;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	bool done = fd >= 0 && recv(fd, &c, 1, 0) == 1 && c == '?' &&
		    send(fd, "!", 1, 0) == 1 && close(fd) == 0;
	char *memory = malloc((size_t)1 << 24);

	done = done && memory != NULL;
	free(memory);
	return done;
}

/* The status of the child: DONE, NOT_CONFINED, or the number of the check that
 * failed. */
static int confined(int listener, int file)
{
	struct err err = {0};
	char c;

	if (confine_to_serving(&err) < 0)
		return NOT_CONFINED;
	if (!opens_nothing(file))
		return 2;
	if (!runs_nothing())
		return 3;
	if (!connects_nothing(listener))
		return 4;
	if (pread(file, &c, 1, 0) != 1)
		return 5;
	return serves(listener) ? DONE : 6;
}

/* Have the connection served; returns whether the answer came. */
static bool ask(struct listener *l)
{
	struct sockaddr_storage to;
	socklen_t size = sizeof(to);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char c = 0;
	bool answered;

	getsockname(l->fd, (struct sockaddr *)&to, &size);
	answered = connect(fd, (struct sockaddr *)&to, size) == 0 &&
		   send(fd, "?", 1, 0) == 1;
	listen_close(l);
	answered = answered && recv(fd, &c, 1, 0) == 1 && c == '!';
	close(fd);
	return answered;
}

int main(void)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct listener l;
	struct err err = {0};
	int status = -1;
	bool answered;
	pid_t pid;

	check_case("what is open serves on, and nothing else can be had");
	CHECK_INT(listen_text(&l, "0", &err), 0);
	fcntl(l.fd, F_SETFL, 0);
	pid = fork();
	if (pid == 0)
		_exit(confined(l.fd, file));
	answered = ask(&l);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
#ifdef OBS_INSTRUMENTED
	CHECK_INT(WEXITSTATUS(status), NOT_CONFINED);
	CHECK(!answered);
#else
	CHECK_INT(WEXITSTATUS(status), DONE);
	CHECK(answered);
#endif
	close(file);
	return check_done();
}
