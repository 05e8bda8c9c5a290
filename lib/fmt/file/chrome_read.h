/*
 * Chrome Trace Event JSON, read event by event: what torch's profiler
 * (pytorch/kineto, libkineto/src/output_json.cpp) and other tracers write.
 *
 *	{"traceEvents": [EVENT, ...], "baseTimeNanoseconds": N, ...}
 *	[EVENT, ...]
 *
 * Keys come in any order and files are larger than memory, so an event is
 * returned as its text plus slices of the members needed to place it; nothing
 * else is built. Memory use is one event, LIMIT_LINE at most.
 *
 * Profilers are killed, and some write what is not quite JSON. Events that
 * fmt/json/json_lenient.h can repair are returned repaired. Others are damaged
 * and skipped, up to the next line that begins with a brace after one that ends
 * in a comma. A truncated file gives the events before its end. chrome_found
 * reports all of it.
 *
 * Times are relative to the file's base: an event is at base + ts * 1000 ns of
 * Unix time. Files without a base (torch before 2.2) have Unix µs in ts.
 * fmt/file/chrome_member.h interprets members.
 */
#ifndef OBS_FMT_FILE_CHROME_READ_H
#define OBS_FMT_FILE_CHROME_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/source.h"
#include "base/str.h"
#include "fmt/file/chrome_names.h"

/* An event as strict JSON. Slices are valid until the next call. Members are
 * raw JSON, strings with their quotes; p is NULL if absent. The last of
 * duplicate keys counts. */
struct chrome_event {
	struct str text;
	struct str member[CHROME_MEMBERS];
	struct str arg[CHROME_ARG_COUNT];
};

enum chrome_base { CHROME_BASE_NONE, CHROME_BASE_BAD, CHROME_BASE_READ };

/* What has been found in a file so far. */
struct chrome_found {
	bool in_object;	   /* the events are a member of the top object */
	bool unclosed;	   /* the top object was not closed after the list */
	uint64_t elements; /* in the list of events, without damaged ones */
	bool typed;	   /* an element has a "ph", as trace events do */
	uint64_t damaged;  /* skipped elements */
	struct err first_damaged;
	bool truncated;
	struct err cut;	  /* where and why the file ends early */
	bool spare_comma; /* between events or after the last one */
	enum chrome_base base_kind;
	int64_t base; /* ns; 0 unless read */
	/* These members of the top object as JSON; n is 0 if absent. */
	struct str distributed; /* distributedInfo */
	struct str devices;	/* deviceProperties */
};

struct chrome_reader;

/* A reader of source, which is borrowed until chrome_close. NULL if out of
 * memory. */
struct chrome_reader *chrome_open(struct byte_source *source);
void chrome_close(struct chrome_reader *reader);

/* The next event: 1; 0 at the end of the file; or an error, ERR_INPUT if the
 * file has no list of events and so is not a trace. */
int chrome_next(struct chrome_reader *reader, struct chrome_event *event,
		struct err *err);

const struct chrome_found *chrome_found(const struct chrome_reader *reader);

/* Once the end is reached: 0, or ERR_INPUT if the list holds other things and
 * so is not a profile. An empty traceEvents list is one. */
int chrome_check(const struct chrome_found *found, struct err *err);

/* The kind of a file that begins like this and is not JSON: "this is a torch
 * file; ..."; NULL if unknown. */
const char *chrome_other(const char *begin, const char *end);

#endif
