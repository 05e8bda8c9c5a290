#include "output.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

enum { PENDING_MAX = 4 };

/* Files to remove should the program end before they are in place. */
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

static void guard(struct out_file *file)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	static bool guarding;
	struct sigaction action = {.sa_handler = end_by_signal};

	for (int i = 0; i < PENDING_MAX; i++)
		if (pending[i] == NULL) {
			pending[i] = file;
			break;
		}
	if (guarding)
		return;
	guarding = true;
	atexit(unlink_pending);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static void unguard(const struct out_file *file)
{
	for (int i = 0; i < PENDING_MAX; i++)
		if (pending[i] == file)
			pending[i] = NULL;
}

void output_open(struct output *output, const char *path)
{
	struct err err = {0};
	int code;

	*output = (struct output){0};
	output->is_stdout = path == NULL || strcmp(path, "-") == 0;
	code = output->is_stdout
		       ? out_open(&output->file.out, STDOUT_FILENO, &err)
		       : out_file_open(&output->file, path, &err);
	if (code < 0)
		die_err(&err);
	if (!output->is_stdout)
		guard(&output->file);
}

void output_close(struct output *output)
{
	struct out *out = &output->file.out;
	struct err err = {0};
	int failed;

	if (output->is_stdout) {
		failed = out_close(out, &err) < 0 ? out->failed : 0;
		if (failed != 0)
			die_stdout(failed);
		return;
	}
	if (out_file_commit(&output->file, &err) < 0)
		die_err(&err);
	unguard(&output->file);
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
