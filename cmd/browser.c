#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "net/server/child.h"

/* It outlives this program: new session, no terminal, default signals. */
static int spawn(const char *command, const char *address)
{
	char *argv[] = {(char *)command, (char *)address, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	pid_t pid;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&files) != 0)
		return -1;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID |
						      POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
					      O_RDWR, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, STDIN_FILENO,
						      STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, STDIN_FILENO,
						      STDERR_FILENO);
	if (rc == 0)
		rc = posix_spawnp(&pid, command, &files, &attributes, argv,
				  environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

void browser_open(const char *address)
{
	const char *command = getenv("BROWSER");
	int rc;

	child_keep_descriptors();
	if (command == NULL || *command == '\0')
		command = "xdg-open";
	rc = spawn(command, address);
	if (rc != 0)
		note("cannot start %s: %s; open %s by hand", command,
		     strerror(rc), address);
}

void browser_open_file(const char *path)
{
	char *absolute = realpath(path, NULL);

	browser_open(absolute != NULL ? absolute : path);
	free(absolute);
}
