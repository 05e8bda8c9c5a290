/*
 * Profiles of engines (Chrome traces, see fmt/file/chrome_read.h) merged with
 * the spans of a rollout, in one Chrome trace on one clock.
 *
 *	for each file: engine_traces_add(traces, path, &err)
 *	origin = what is earliest, engine_traces_earliest(traces) included
 *	engine_traces_write(traces, &w, first_pid, origin, &err)
 *
 * A file is read twice, since its base time may be at its end, and never kept:
 * memory is one event and the names of processes. Changes to an event, because
 * files collide there or importers require it:
 *	ts	µs from the origin, three decimals, by integer arithmetic
 *	pid	numbers from first_pid on, named after file, rank and device
 *	tid	texts and what 31 bits do not hold become numbers beyond
 *	id	of flows and async events: the file's number times 2^40 is added
 *	dur	0 where it is negative or not a number
 * All else, such as args, stays as it is; text beyond ASCII is escaped, and
 * what is not JSON mended as chrome_read.h says.
 *
 * Paths are the caller's; the rest is in engine_traces_free.
 */
#ifndef OBS_SINK_PROFILE_ENGINE_TRACES_H
#define OBS_SINK_PROFILE_ENGINE_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fmt/file/chrome_read.h"
#include "fmt/json/json_write.h"

struct engine_traces;

/* NULL if out of memory. */
struct engine_traces *engine_traces_new(void);
void engine_traces_free(struct engine_traces *traces); /* NULL is a no-op */

/* What was found in a file. */
struct engine_profile {
	const char *path;
	struct chrome_found found;
	bool padded;	   /* see gzip_reader_is_padded */
	uint64_t events;   /* with a time */
	uint64_t untimed;  /* without one, which are dropped */
	uint64_t repaired; /* whose length was invalid, and is 0 */
	/* Of the events, ns of Unix time. */
	int64_t earliest, latest;
	/* The same of what counts, as in profile/profile_trace.h: without marks
	 * that the profiler sets, which may be long after the last event; if
	 * nothing counts, of all. */
	int64_t first, last;
};

/* Read a file through. If that fails, or it is not a profile, it is not
 * added. */
int engine_traces_add(struct engine_traces *traces, const char *path,
		      struct err *err);

size_t engine_traces_count(const struct engine_traces *traces);
const struct engine_profile *
engine_traces_about(const struct engine_traces *traces, size_t i);

/* The earliest event, µs of Unix time rounded down; INT64_MAX if there is
 * none. */
int64_t engine_traces_earliest(const struct engine_traces *traces);

/* The added files, as the value of a key: a list of objects. */
void engine_traces_describe(const struct engine_traces *traces,
			    struct json_writer *w);

/* All events as elements of the array that w is in. An error, such as a file
 * changed since it was added, leaves the array incomplete. */
int engine_traces_write(struct engine_traces *traces, struct json_writer *w,
			uint64_t first_pid, int64_t origin_us, struct err *err);

#endif
