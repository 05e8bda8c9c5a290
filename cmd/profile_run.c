#include "profile_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "common.h"
#include "profile_set.h"

/* A stop is answered once the traces are written. */
#define STOP_TIMEOUT (600 * NS_PER_SECOND)

enum { N_SIGNALS = 3 };
static const int signals[N_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction previous[N_SIGNALS];
static volatile sig_atomic_t interrupted; /* the signal, or 0 */

/* From now on a signal has its former effect: it ends the program. */
static void release_signals(void)
{
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &previous[i], NULL);
}

static void on_signal(int signum)
{
	interrupted = signum;
	release_signals();
}

/* Ignored signals, as under nohup, stay ignored. */
static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], NULL, &previous[i]);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (previous[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

int profile_run_finish(void)
{
	int status = finish();

	if (interrupted)
		raise(interrupted);
	return status;
}

static bool may_run(const struct profile_worker *w)
{
	return profile_may_run(w->verdict);
}

/* Stop those that may be running, n of them; report those that do not stop. */
static void stop_asked(const struct profile_run *run, const bool *asked,
		       size_t n)
{
	struct profile *p = run->profile;
	struct err err = {0};

	warn("stopping the workers that were started: %zu%s", n,
	     interrupted ? "; interrupt again to leave them running" : "");
	p->fetch.interrupted = NULL;
	p->fetch.timeout = run->timeout > STOP_TIMEOUT ? run->timeout
						       : STOP_TIMEOUT;
	if (profile_send(p, PROFILE_STOP, may_run, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < p->n; i++)
		if (asked[i] && !profile_is_done(PROFILE_STOP, p->v[i].verdict))
			fail("%s: may still be profiling: %s",
			     p->v[i].target->address, p->v[i].text);
}

/* Stop the workers reached by a start. */
static void stop_started(const struct profile_run *run)
{
	struct profile *p = run->profile;
	bool *asked = calloc(p->n + 1, sizeof(*asked));
	size_t n = 0;

	if (asked == NULL)
		die_memory();
	for (size_t i = 0; i < p->n; i++) {
		asked[i] = may_run(&p->v[i]);
		n += asked[i];
	}
	if (n > 0)
		stop_asked(run, asked, n);
	free(asked);
}

static bool all_started(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].verdict != PROFILE_STARTED)
			return false;
	return true;
}

static void run_action(const struct profile_run *run)
{
	struct profile *p = run->profile;
	struct err err = {0};

	if (run->action == PROFILE_LIST)
		return;
	p->fetch.timeout = run->timeout;
	p->fetch.interrupted = &interrupted;
	if (profile_send(p, run->action, NULL, &err) < 0)
		die_err(&err);
	if (run->action == PROFILE_START &&
	    (interrupted || (run->all_or_nothing && !all_started(p))))
		stop_started(run);
}

/* May it be profiling without having confirmed it? Not after a redirect or a
 * rejection. */
static bool is_doubtful(const struct profile_worker *w)
{
	return w->verdict != PROFILE_STARTED && profile_may_run(w->verdict) &&
	       (w->status < 300 || w->status >= 500);
}

/* Whoever started them, and as far as known. */
static void say_profiling(const struct profile *p)
{
	size_t running = 0, before = 0, maybe = 0;

	for (size_t i = 0; i < p->n; i++) {
		enum profile_verdict verdict = p->v[i].verdict;

		before += verdict == PROFILE_ALREADY_RUNNING;
		running += verdict == PROFILE_STARTED;
		maybe += is_doubtful(&p->v[i]);
	}
	running += before;
	note("profiling now: %zu of %zu worker%s%s%s", running, p->n,
	     str_plural(p->n),
	     before ? ", counting those that were already" : "",
	     maybe ? "; others may be, too" : "");
}

/* Why none succeeded: no valid address, or no successful request. */
static enum status failure_of(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].target->problem == NULL)
			return STATUS_IO;
	return STATUS_INPUT;
}

static void say_outcome(const struct action_report *report)
{
	size_t done = action_report_count_done(report);

	action_report_failures(report);
	if (done == 0)
		status_raise(failure_of(report->profile));
	if (done < report->profile->n && report->action == PROFILE_START)
		say_profiling(report->profile);
}

/* Wait for the traces of successful workers. The result is reported and saved
 * in the manifest, even if incomplete. */
static void wait_for_traces(const struct profile_run *run,
			    struct profile_watch *watch,
			    const struct action_report *report)
{
	watch_wait(watch, run->profile, run->action, run->wait_seconds,
		   &interrupted);
	if (interrupted && run->action == PROFILE_START) {
		stop_started(run);
		watch_settle(watch);
	}
	action_report_write_manifest(report, run->output_dir);
}

/* Summary --------------------------------------------------------------- */

/* The entries of its lists. */
enum { SUMMARY_TOP = 5, SUMMARY_GAPS = 1 };

struct trace_paths {
	char **v;
	size_t n, cap;
};

static bool is_wanted(const struct trace_file *file)
{
	return !file->old && file->state == TRACE_COMPLETE &&
	       !str_starts(str_of(file->name), "merged-");
}

/* The complete traces received. */
static void find_traces(struct trace_paths *paths,
			const struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		const struct trace_dir *dir = &watch->dirs[i];

		for (size_t k = 0; k < dir->n; k++) {
			if (!is_wanted(&dir->files[k]))
				continue;
			if (!ARRAY_GROW(paths->v, paths->n, paths->cap) ||
			    asprintf(&paths->v[paths->n], "%s/%s", dir->path,
				     dir->files[k].name) < 0)
				die_memory();
			paths->n++;
		}
	}
}

/* The output of profile-summary for these traces. */
static void print_summary(const struct profile_watch *watch, struct out *out)
{
	const struct profile_reading how = {.top = SUMMARY_TOP,
					    .gaps = SUMMARY_GAPS};
	enum status worst = STATUS_DONE;
	struct trace_paths paths = {0};
	struct profile_set set = {0};
	struct err err = {0};

	find_traces(&paths, watch);
	if (paths.n > 0) {
		profile_set_read(&set, &how, (int)paths.n, paths.v, &worst);
		out_putc(out, '\n');
		if (profile_put_table(out, &set.report, &err) < 0)
			die_err(&err);
		profile_set_free(&set);
	}
	for (size_t i = 0; i < paths.n; i++)
		free(paths.v[i]);
	free(paths.v);
}

/* All together ---------------------------------------------------------- */

/* Print the workers. If that fails nobody would know that they are profiling:
 * stop them and return false. */
static bool print_workers(const struct profile_run *run,
			  const struct action_report *report)
{
	action_report_write(report, run->format, run->out);
	out_flush(run->out);
	if (run->out->failed && run->action == PROFILE_START)
		stop_started(run);
	return !run->out->failed;
}

void profile_run(const struct profile_run *run)
{
	bool table = run->format == REPORT_TABLE;
	bool wait = run->wait_seconds >= 0;
	struct profile_watch watch = {0};
	const struct action_report report = {run->action, run->profile, &watch};

	if (wait)
		watch_begin(&watch, run->profile, run->action, run->shared_dir);
	catch_signals();
	run_action(run);
	if (table)
		wait &= print_workers(run, &report);
	say_outcome(&report);
	wait &= action_report_count_done(&report) > 0;
	if (wait)
		wait_for_traces(run, &watch, &report);
	if (!table)
		print_workers(run, &report);
	else if (wait)
		action_report_write_files(&report, run->out);
	if (wait && run->summary && !interrupted)
		print_summary(&watch, run->out);
	watch_free(&watch);
}
