/*
 * Chrome Trace Event JSON, read event by event: what torch's profiler
 * (pytorch/kineto, libkineto/src/output_json.cpp) and other tracers write.
 *
 *	{"traceEvents": [EVENT, ...], "baseTimeNanoseconds": N, ...}
 *	[EVENT, ...]
 *
 * Keys come in any order and files are larger than memory, so an event is
 * handed out as its text and where in it the members stand that place it;
 * nothing else is built. Memory is that of one event, LIMIT_LINE at most.
 *
 * Profilers are killed, and some write what is not quite JSON. Events that
 * fmt/json/json_lenient.h can mend are handed out mended. One that it cannot
 * is damaged: it is skipped, up to the next line that begins with a brace
 * after one that ends in a comma. A file that is truncated gives the events
 * before its end. chrome_found reports all of it.
 *
 * Times of a file count from its base: an event is at base + ts * 1000 ns of
 * Unix time. Files without a base (torch before 2.2) have Unix µs in ts. What
 * members mean is in fmt/file/chrome_member.h.
 */
#ifndef OBS_FMT_FILE_CHROME_READ_H
#define OBS_FMT_FILE_CHROME_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/source.h"
#include "base/str.h"
#include "fmt/file/chrome_names.h"

/* An event as strict JSON. Slices live until the next call. Members are JSON
 * as it stands, strings with their quotes; p is NULL when absent. Of equal
 * keys the last one counts. */
struct chrome_event {
	struct str text;
	struct str member[CHROME_MEMBERS];
	struct str arg[CHROME_ARG_COUNT];
};

enum chrome_base { CHROME_BASE_NONE, CHROME_BASE_BAD, CHROME_BASE_READ };

/* What was found in a file so far. */
struct chrome_found {
	bool in_object;	   /* the events are a member of the top object */
	bool unclosed;	   /* the top object was not closed after the list */
	uint64_t elements; /* of the list of events, without damaged ones */
	bool typed;	   /* an element has a "ph", as trace events do */
	uint64_t damaged;  /* elements that were skipped */
	struct err first_damaged;
	bool truncated;
	struct err cut;	  /* where and why */
	bool spare_comma; /* between events or behind the last one */
	enum chrome_base base_kind;
	int64_t base; /* ns; 0 unless read */
	/* These members of the top object as JSON; n is 0 without one. */
	struct str distributed; /* distributedInfo */
	struct str devices;	/* deviceProperties */
};

struct chrome_reader;

/* A reader of what source gives next, which is borrowed until chrome_close.
 * NULL when memory ran out. */
struct chrome_reader *chrome_open(struct byte_source *source);
void chrome_close(struct chrome_reader *reader);

/* The next event: 1; 0 at the end of the file; or an error, ERR_INPUT when the
 * file has no list of events: then it is not a trace. */
int chrome_next(struct chrome_reader *reader, struct chrome_event *event,
		struct err *err);

const struct chrome_found *chrome_found(const struct chrome_reader *reader);

/* Once the end is reached: 0, or ERR_INPUT for a list of other things, which is
 * not a profile. An empty list traceEvents is one. */
int chrome_check(const struct chrome_found *found, struct err *err);

/* What a file is that begins so, and not as JSON: "this is a torch file; ...";
 * NULL: not known. */
const char *chrome_other(const char *begin, const char *end);

#endif
