#include "timeline_profiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/limits.h"
#include "clocks.h"
#include "common.h"
#include "fmt/file/gzip_read.h"

/* Margin around a rollout that is shown, as a fraction of its length. */
static const double MARGIN = 0.05;

static struct profile_trace *read_trace(const char *path, struct err *err)
{
	struct gzip_reader *reader = gzip_reader_open(path, err);
	struct profile_trace *trace;

	if (reader == NULL)
		return NULL;
	trace = profile_trace_read(path, gzip_reader_source(reader),
				   LIMIT_RECORDS, err);
	gzip_reader_close(reader);
	return trace;
}

static void say_found(const struct profile_trace *trace)
{
	struct err err = trace->cut;

	if (trace->damaged > 0)
		fail("%s: skipped %" PRIu64 " damaged event%s", trace->path,
		     trace->damaged, trace->damaged == 1 ? "" : "s");
	if (!trace->truncated)
		return;
	err_in(&err, trace->path);
	fail_err(&err);
}

static double seconds_of(int64_t ns)
{
	return (double)ns / NS_PER_SECOND;
}

static int64_t ns_of(double seconds)
{
	return (int64_t)(seconds * NS_PER_SECOND);
}

/* Does the profile overlap the rollout? Otherwise it is reported. */
static bool check_clock(const struct profile_trace *trace,
			struct interval rollout)
{
	struct interval own = {seconds_of(trace->base + trace->earliest),
			       seconds_of(trace->base + trace->latest)};

	return clocks_check_profile(trace->path, own, rollout, trace->has_base);
}

/* Say why nothing of the profile is shown. */
static void say_nothing(const struct profile_trace *trace,
			struct interval rollout)
{
	if (trace->latest < trace->earliest)
		fail("%s: the profile has no events", trace->path);
	else if (!check_clock(trace, rollout))
		status_raise(STATUS_PARTLY);
	else
		fail("%s: the profile has no GPU activity and no steps at the "
		     "time of the rollout",
		     trace->path);
}

static int read_one(const char *path, struct interval rollout,
		    struct gpu_lanes *lanes, struct err *err)
{
	double margin = (rollout.end - rollout.start) * MARGIN;
	struct profile_trace *trace = read_trace(path, err);
	int code;

	if (trace == NULL)
		return err->code;
	say_found(trace);
	code = gpu_lanes_add(lanes, trace, ns_of(rollout.start - margin),
			     ns_of(rollout.end + margin), err);
	if (code == 0)
		say_nothing(trace, rollout);
	else if (code > 0)
		check_clock(trace, rollout);
	profile_trace_free(trace);
	return code < 0 ? code : 0;
}

void gpu_profiles_read(const struct opt_list *files, struct interval rollout,
		       struct gpu_lanes *lanes)
{
	struct err err = {0};

	*lanes = gpu_lanes_new();
	for (size_t i = 0; i < files->n && rollout.start <= rollout.end; i++)
		if (read_one(files->v[i], rollout, lanes, &err) < 0) {
			err_in(&err, files->v[i]);
			fail_err(&err);
		}
}
