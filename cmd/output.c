#include "output.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/str.h"
#include "base/temporary.h"
#include "common.h"

enum { PENDING_MAX = 4 };

/* Files to remove if the program ends before they are in place. */
static struct out_file *volatile pending[PENDING_MAX];

static void unlink_pending(void)
{
	for (int i = 0; i < PENDING_MAX; i++)
		if (pending[i] != NULL)
			out_file_unlink_pending(pending[i]);
}

static void end_by_signal(int signum)
{
	unlink_pending();
	signal(signum, SIG_DFL);
	raise(signum);
}

/* Unless ignored by the parent (such as nohup), or handled otherwise by a
 * program that serves. */
static void change_handler(void (*from)(int), void (*to)(int))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				      SIGPIPE};
	const struct sigaction action = {.sa_handler = to};
	struct sigaction before;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (sigaction(signals[i], NULL, &before) == 0 &&
		    before.sa_handler == from)
			sigaction(signals[i], &action, NULL);
}

/* Set up before the file is created, so that a signal cannot leave one behind
 * at any time. */
static void guard(struct out_file *file)
{
	static bool guarding;

	for (int i = 0; i < PENDING_MAX; i++)
		if (pending[i] == NULL) {
			pending[i] = file;
			break;
		}
	change_handler(SIG_DFL, end_by_signal);
	if (guarding)
		return;
	guarding = true;
	atexit(unlink_pending);
}

/* Restore the handlers with the last file: a confined program could not raise a
 * signal (net/server/confine.h). */
static void unguard(const struct out_file *file)
{
	bool any = false;

	for (int i = 0; i < PENDING_MAX; i++) {
		if (pending[i] == file)
			pending[i] = NULL;
		any |= pending[i] != NULL;
	}
	if (!any)
		change_handler(end_by_signal, SIG_DFL);
}

/* Opening /dev/stdout again would write at the beginning of its file. */
static bool names_stdout(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0 ||
	       strcmp(path, "/dev/stdout") == 0;
}

/* Once per directory, even if files are written for many dumps. */
static void clean_next_to(const char *path)
{
	static char *last;
	size_t n = (size_t)(file_name(path) - path);

	if (last != NULL && strlen(last) == n && strncmp(last, path, n) == 0)
		return;
	free(last);
	last = strndup(path, n);
	temporary_clean(path);
}

int output_try(struct output *output, const char *path, struct err *err)
{
	struct out_file *file = &output->file;

	*output = (struct output){.is_stdout = names_stdout(path)};
	if (output->is_stdout)
		return out_open(&file->out, STDOUT_FILENO, err);
	clean_next_to(path);
	guard(file);
	if (out_file_open(file, path, err) < 0)
		unguard(file);
	return err->code;
}

void output_check(const char *path, const char *input)
{
	struct stat to, from;

	if (path != NULL && stat(path, &to) == 0 && S_ISREG(to.st_mode) &&
	    stat(input, &from) == 0 && from.st_dev == to.st_dev &&
	    from.st_ino == to.st_ino)
		die_usage("--output would replace the input %s", input);
}

void output_check_all(const char *path, size_t n, char *const *inputs)
{
	for (size_t i = 0; i < n; i++)
		output_check(path, inputs[i]);
}

void output_open(struct output *output, const char *path)
{
	struct err err = {0};

	if (output_try(output, path, &err) < 0)
		die_err(&err);
}

int output_finish(struct output *output, struct err *err)
{
	struct out *out = &output->file.out;
	int code;

	if (output->is_stdout) {
		if (out_close(out, err) < 0)
			die_stdout(out->failed);
		return 0;
	}
	code = out_file_commit(&output->file, err);
	unguard(&output->file);
	return code;
}

void output_close(struct output *output)
{
	struct err err = {0};

	if (output_finish(output, &err) < 0)
		die_err(&err);
}

void output_drop(struct output *output)
{
	if (output->is_stdout) {
		output_close(output);
		return;
	}
	out_file_abort(&output->file);
	unguard(&output->file);
}
