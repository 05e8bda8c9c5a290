#include "profiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "common.h"
#include "repeats.h"

/* No profile is this long: one of its times is wrong. */
#define LONG_PROFILE (7 * 86400.0)

/* A finding at a place of the file, and its consequence: "kept 3 complete
 * events". */
static void fail_found(const char *path, const struct err *found,
		       const char *done, uint64_t n, const char *kind)
{
	struct err err = *found;

	snprintf(err.text, sizeof(err.text),
		 "%.150s; %s %" PRIu64 " %s event%s", found->text, done, n,
		 kind, str_plural(n));
	err_in(&err, path);
	fail_err(&err);
}

static void report_found(const struct engine_profile *about)
{
	const struct chrome_found *found = &about->found;
	const char *path = about->path;

	if (found->damaged > 0)
		fail_found(path, &found->first_damaged, "skipped",
			   found->damaged, "damaged");
	if (found->truncated)
		fail_found(path, &found->cut, "kept", about->events,
			   "complete");
	if (found->spare_comma)
		warn("%s: ignored an extra comma in the list of events", path);
	if (about->padded)
		warn("%s: ignored zeros after the compressed data", path);
	if (found->base_kind == CHROME_BASE_BAD)
		warn("%s: ignored baseTimeNanoseconds, which is not a number",
		     path);
}

static void report_events(const struct engine_profile *about)
{
	const char *path = about->path;
	double seconds;

	if (about->untimed > 0)
		warn("%s: skipped %" PRIu64 " event%s without a valid time",
		     path, about->untimed, str_plural(about->untimed));
	if (about->repaired > 0)
		warn("%s: set %" PRIu64
		     " duration%s to 0 that %s negative or not a number",
		     path, about->repaired, str_plural(about->repaired),
		     about->repaired == 1 ? "was" : "were");
	if (about->events == 0) {
		if (about->untimed > 0)
			fail("%s: no event has a valid time", path);
		else
			warn("%s: no events", path);
		return;
	}
	seconds = ((double)about->latest - (double)about->earliest) /
		  NS_PER_SECOND;
	if (seconds > LONG_PROFILE)
		warn("%s: its events lie up to %.0f days apart; one of its "
		     "times is wrong",
		     path, seconds / 86400);
}

static void read_one(struct engine_traces *traces, const char *path)
{
	const struct engine_profile *about;
	struct err err = {0};

	if (engine_traces_add(traces, path, &err) < 0) {
		err_in(&err, path);
		fail_err(&err);
		return;
	}
	about = engine_traces_about(traces, engine_traces_count(traces) - 1);
	report_found(about);
	report_events(about);
}

static bool is_profile(const char *name)
{
	return str_ends(str_of(name), ".json.gz") ||
	       str_ends(str_of(name), ".trace.json");
}

struct engine_traces *profiles_read(const struct opt_list *list, int *count,
				    char **names)
{
	struct engine_traces *traces = engine_traces_new();
	struct repeats repeats = {0};
	int dumps = 0;

	if (traces == NULL)
		die_memory();
	for (size_t i = 0; i < list->n; i++)
		if (!repeats_has(&repeats, list->v[i]))
			read_one(traces, list->v[i]);
	for (int i = 0; i < *count; i++) {
		if (!is_profile(names[i]))
			names[dumps++] = names[i];
		else if (!repeats_has(&repeats, names[i]))
			read_one(traces, names[i]);
	}
	repeats_free(&repeats);
	*count = dumps;
	return traces;
}

void profiles_check_clocks(const struct engine_traces *traces,
			   struct interval rollout)
{
	for (size_t i = 0; i < engine_traces_count(traces); i++) {
		const struct engine_profile *about =
			engine_traces_about(traces, i);
		struct interval profile = {(double)about->first / NS_PER_SECOND,
					   (double)about->last / NS_PER_SECOND};

		clocks_check_profile(about->path, profile, rollout,
				     about->found.base_kind ==
					     CHROME_BASE_READ);
	}
}
