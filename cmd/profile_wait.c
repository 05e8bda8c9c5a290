#include "profile_wait.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "common.h"

/* The interval of scans; a file must not change between two. */
#define PAUSE (200 * NS_PER_MS)

/* Without any file for this long, a possible cause is reported. */
#define PATIENCE (10 * NS_PER_SECOND)

/* Stages that each write a file. */
static size_t count_stages(const struct profile_fields *fields)
{
	size_t n = 1;

	if (!fields->by_stage)
		return 1;
	if (fields->stages == NULL)
		return 2; /* prefill and decode */
	for (const char *p = fields->stages; *p; p++)
		n += *p == ',';
	return n;
}

static size_t files_of(const struct profile *p, size_t worker)
{
	size_t ranks = p->v[worker].ranks;

	return (ranks ? ranks : 1) * count_stages(&p->fields) + p->fields.merge;
}

/* A directory that cannot be read is reported at the end: until then it may
 * change, and the others' files are not lost. */
static void scan(struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		struct err *err = &watch->errors[i];

		err->code = 0;
		if (trace_dir_scan(&watch->dirs[i], err) < 0)
			err_in(err, watch->dirs[i].path);
	}
}

void watch_begin(struct profile_watch *watch, const struct profile *p,
		 enum profile_action action, bool shared)
{
	watch->shared = shared;
	watch->n = shared ? 1 : p->n;
	watch->dirs = calloc(watch->n, sizeof(*watch->dirs));
	watch->expected = calloc(watch->n, sizeof(*watch->expected));
	watch->errors = calloc(watch->n, sizeof(*watch->errors));
	if (!watch->dirs || !watch->expected || !watch->errors)
		die_memory();
	for (size_t i = 0; i < watch->n; i++)
		watch->dirs[i] = trace_dir_new(p->v[i].dir);
	scan(watch);
	for (size_t i = 0; i < watch->n; i++)
		if (watch->errors[i].code)
			die_err(&watch->errors[i]);
	for (size_t i = 0; i < watch->n && action == PROFILE_START; i++)
		trace_dir_forget(&watch->dirs[i]);
}

void watch_free(struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++)
		trace_dir_free(&watch->dirs[i]);
	free(watch->dirs);
	free(watch->expected);
	free(watch->errors);
}

const struct trace_dir *watch_dir(const struct profile_watch *watch, size_t i)
{
	return watch->shared || watch->n == 0 ? NULL : &watch->dirs[i];
}

/* Are all files of a directory complete? */
static bool is_complete(const struct profile_watch *watch, size_t i)
{
	size_t at = watch->shared ? 0 : i;

	return !watch->errors[at].code &&
	       trace_dir_count(&watch->dirs[at]) >= watch->expected[at] &&
	       !trace_dir_is_growing(&watch->dirs[at]);
}

static bool is_all_complete(const struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++)
		if (!is_complete(watch, i))
			return false;
	return true;
}

static void expect_files(struct profile_watch *watch, const struct profile *p,
			 enum profile_action action)
{
	for (size_t i = 0; i < p->n; i++)
		if (profile_is_done(action, p->v[i].verdict))
			watch->expected[watch->shared ? 0 : i] +=
				files_of(p, i);
}

static bool is_empty(const struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++)
		if (trace_dir_count(&watch->dirs[i]) > 0)
			return false;
	return true;
}

static void say_missing(const struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		const struct trace_dir *dir = &watch->dirs[i];

		for (size_t k = 0; k < dir->n; k++)
			if (!dir->files[k].old &&
			    dir->files[k].state == TRACE_TORN)
				fail("%s/%s: %s", dir->path, dir->files[k].name,
				     dir->files[k].why);
		if (watch->errors[i].code)
			fail_err(&watch->errors[i]);
		else if (!is_complete(watch, i))
			fail("%s: complete traces: %zu of %zu", dir->path,
			     trace_dir_count(dir), watch->expected[i]);
	}
}

/* Workers found profiling by a stop write their traces with it: older files
 * belong to an earlier profile, unless stages have written on their own. */
static void forget_before_stop(struct profile_watch *watch,
			       const struct profile *p)
{
	bool all = true;

	for (size_t i = 0; i < p->n; i++)
		all &= p->v[i].verdict != PROFILE_NOT_RUNNING;
	for (size_t i = 0; i < watch->n && !p->fields.by_stage; i++)
		if (watch->shared ? all : p->v[i].verdict == PROFILE_STOPPED)
			trace_dir_forget(&watch->dirs[i]);
}

void watch_settle(struct profile_watch *watch)
{
	const struct timespec pause = {.tv_nsec = PAUSE};

	scan(watch);
	nanosleep(&pause, NULL);
	scan(watch);
}

bool watch_wait(struct profile_watch *watch, const struct profile *p,
		enum profile_action action, double seconds,
		const volatile sig_atomic_t *interrupted)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	int64_t start = clock_monotonic();
	int64_t end = start + (int64_t)(seconds * NS_PER_SECOND);
	int64_t warn_at = end - start < 2 * PATIENCE ? (start + end) / 2
						     : start + PATIENCE;

	expect_files(watch, p, action);
	if (action == PROFILE_STOP)
		forget_before_stop(watch, p);
	scan(watch);
	while (!is_all_complete(watch) && clock_monotonic() < end &&
	       !*interrupted) {
		nanosleep(&pause, NULL);
		scan(watch);
		if (clock_monotonic() < warn_at || !is_empty(watch))
			continue;
		warn_at = INT64_MAX;
		warn("no trace yet; an idle engine never finishes its steps: "
		     "does it receive requests, and is the directory shared "
		     "with it?");
	}
	if (!is_all_complete(watch) && !*interrupted)
		say_missing(watch);
	return is_all_complete(watch);
}
