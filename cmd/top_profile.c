#include "top_profile.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "fmt/prom/prom_text.h"
#include "top_view.h"

enum { CANNOT_RUN = 127, FIXED = 4 };

uint32_t top_profile_engines(const struct top_screen *t,
			     const struct board_engine **v, uint32_t n)
{
	const struct board *b = t->board;
	const struct board_row *row = top_chosen_row(t);
	uint32_t found = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		if (!map_find(&t->marked, b->engines[i]->id, NULL))
			continue;
		if (found < n)
			v[found] = b->engines[i];
		found++;
	}
	if (found == 0 && row != NULL && row->engine != NULL) {
		if (n > 0)
			v[0] = row->engine;
		found = 1;
	}
	return found;
}

/* profile-rollout --action=start --worker=URL... */
static char **command_of(const struct top_screen *t)
{
	uint32_t n = top_profile_engines(t, NULL, 0);
	const struct board_engine **engines = calloc(n + 1, sizeof(*engines));
	char **command = calloc(n + FIXED, sizeof(*command));
	static char name[] = "profile-rollout", action[] = "--action=start";

	if (engines == NULL || command == NULL)
		die_memory();
	n = top_profile_engines(t, engines, n);
	command[0] = name;
	command[1] = action;
	for (uint32_t i = 0; i < n; i++) {
		struct buf b = buf_new(SIZE_MAX);

		buf_puts(&b, "--worker=");
		prom_unescape(&b, engines[i]->name);
		buf_putc(&b, '\0');
		if (b.failed)
			die_memory();
		command[i + 2] = b.p;
	}
	free(engines);
	return command;
}

static noreturn void become(char **command, int terminal)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int fd = 0; fd < 3; fd++)
		dup2(terminal, fd);
	execvp(command[0], command);
	fprintf(stderr, "obs-top: cannot run %s: %s\n", command[0],
		strerror(errno));
	fflush(stderr);
	_exit(CANNOT_RUN);
}

static void wait_for_enter(int terminal)
{
	static const char text[] = "\nobs-top: press Enter to go back ";
	char c = '\0';

	if (write(terminal, text, sizeof(text) - 1) < 0)
		return;
	while (c != '\n' && read(terminal, &c, 1) == 1)
		;
}

void top_profile_run(struct top_screen *t)
{
	char **command = command_of(t);
	pid_t child;
	int status;

	screen_suspend(t->screen);
	child = fork();
	if (child == 0)
		become(command, t->terminal);
	if (child > 0)
		waitpid(child, &status, 0);
	wait_for_enter(t->terminal);
	screen_resume(t->screen);
	for (size_t i = 2; command[i] != NULL; i++)
		free(command[i]);
	free(command);
}
