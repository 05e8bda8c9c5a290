#include "timeline_metrics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "clocks.h"
#include "common.h"
#include "fmt/input.h"

void metrics_check(const struct metrics_wanted *wanted, size_t stdins)
{
	for (size_t i = 0; i < wanted->files.n; i++) {
		if (*wanted->files.v[i] == '\0')
			die_usage("--metrics needs a file");
		stdins += opt_is_stdin(wanted->files.v[i]);
	}
	if (stdins > 1)
		die_usage("standard input given twice");
	if (wanted->globs.n > 0 && wanted->files.n == 0)
		die_usage("--metric needs --metrics FILE");
}

/* Standard input, kept for the next rollout. */
static struct input *kept;

static struct input *open_file(const char *name, bool again, struct err *err)
{
	struct input *in = opt_is_stdin(name) ? kept : NULL;

	if (in != NULL)
		return input_seek(in, 0, err) < 0 ? NULL : in;
	in = input_open(name, err);
	if (in == NULL || !opt_is_stdin(name) || !again)
		return in;
	if (input_keep(in, err) < 0) {
		input_close(in);
		return NULL;
	}
	kept = in;
	return in;
}

static void close_file(struct input *in, bool again)
{
	if (in == kept && again)
		return;
	if (in == kept)
		kept = NULL;
	input_close(in);
}

static void say_bad(void *name, const struct err *found)
{
	struct err err = *found;

	err_in(&err, name);
	fail_err(&err);
}

static const char *name_for_people(const char *name)
{
	return opt_is_stdin(name) ? "stdin" : name;
}

/* Report what was skipped. */
static void say_skipped(const char *called, uint64_t unstamped,
			uint64_t repeated, uint64_t infinite)
{
	if (unstamped > 0)
		fail("%s: skipped %" PRIu64 " snapshot%s without timestamps; "
		     "record with obs-scrape --interval, which writes them",
		     called, unstamped, unstamped == 1 ? "" : "s");
	if (repeated > 0)
		fail("%s: skipped %" PRIu64 " value%s of series that a "
		     "snapshot has twice; end each snapshot with \"# EOF\"",
		     called, repeated, repeated == 1 ? "" : "s");
	if (infinite > 0)
		fail("%s: skipped %" PRIu64 " infinite value%s", called,
		     infinite, infinite == 1 ? "" : "s");
}

/* Read one file; returns false on failure. */
static bool read_file(const char *name, bool again, struct strips *strips,
		      struct err *err)
{
	const char *called = name_for_people(name);
	struct input *in = open_file(name, again, err);
	struct metric_stream stream;
	uint64_t unstamped = strips->unstamped;
	uint64_t infinite = strips->infinite;
	uint64_t repeated = strips->repeated;
	int code;

	if (in == NULL)
		return false;
	stream = metric_stream_new(input_read, in, PROM_BY_STREAM, false);
	code = strips_read(strips, &stream, str_of(file_name(called)), say_bad,
			   (void *)(uintptr_t)called, err);
	metric_stream_free(&stream);
	close_file(in, again);
	say_skipped(called, strips->unstamped - unstamped,
		    strips->repeated - repeated, strips->infinite - infinite);
	return code == 0;
}

/* Read one file and compare its clock with the rollout's. */
static void read_and_check(const char *name, struct interval rollout,
			   bool again, struct strips *strips)
{
	const char *called = name_for_people(name);
	uint64_t points = strips->points;
	struct err err = {0};

	strips->first = strips->last = (double)NAN;
	if (!read_file(name, again, strips, &err)) {
		err_in(&err, called);
		fail_err(&err);
		return;
	}
	if (isnan(strips->first)) {
		fail("%s: no metrics with timestamps", called);
		return;
	}
	if (!clocks_check(called, "metrics",
			  (struct interval){strips->first, strips->last},
			  "rollout", rollout, 0, NULL))
		status_raise(STATUS_PARTLY);
	else if (strips->points == points)
		fail("%s: none of its metrics is shown: they have no finite "
		     "values, or --metric has to name them",
		     called);
}

void metrics_read(const struct metrics_wanted *wanted, struct interval rollout,
		  bool again, struct strips *strips)
{
	struct err err = {0};
	const char *glob;

	if (!(rollout.start <= rollout.end))
		rollout = (struct interval){0, 0};
	if (strips_init(strips, rollout.start, rollout.end, wanted->globs.v,
			wanted->globs.n, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < wanted->files.n; i++)
		read_and_check(wanted->files.v[i], rollout, again, strips);
	if (strips_settle(strips, &err) < 0)
		die_err(&err);
	glob = strips_unmatched(strips);
	if (glob != NULL)
		fail("--metric: no counter or gauge is named \"%s\" at the "
		     "time of the rollout",
		     glob);
}
