/*
 * Chrome Trace Event JSON, read event by event: what torch's profiler
 * (pytorch/kineto, libkineto/src/output_json.cpp) and other tracers write.
 *
 *	{"traceEvents": [EVENT, ...], "baseTimeNanoseconds": N, ...}
 *	[EVENT, ...                     the closing bracket may be missing
 *
 * Keys come in any order and files are larger than memory, so an event is
 * handed out as its text and where in it the members stand that place it;
 * nothing else is built. The text was checked to be one JSON object. Memory
 * is that of one event, LIMIT_LINE at most.
 *
 * Times of a file count from its base: an event is at base + ts * 1000 ns of
 * Unix time. Files without a base (torch before 2.2) have Unix µs in ts.
 */
#ifndef OBS_FMT_FILE_CHROME_READ_H
#define OBS_FMT_FILE_CHROME_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/source.h"
#include "base/str.h"

enum chrome_member {
	CHROME_PH,
	CHROME_NAME,
	CHROME_PID,
	CHROME_TID,
	CHROME_TS,
	CHROME_DUR,
	CHROME_ID,
	CHROME_BIND_ID,
	CHROME_ARGS,
	CHROME_MEMBERS,
};

/* Slices live until the next call. Members are JSON as it stands, strings with
 * their quotes; p is NULL when absent. Of equal keys the last is it. */
struct chrome_event {
	struct str text;
	struct str member[CHROME_MEMBERS];
};

struct chrome_reader;

/* A reader of what source gives next, which is borrowed until chrome_close.
 * NULL when memory ran out. */
struct chrome_reader *chrome_open(struct byte_source *source);
void chrome_close(struct chrome_reader *reader);

/* The next event: 1, 0 at the end of the file, or an error with the byte
 * offset. After an error the rest cannot be read. */
int chrome_next(struct chrome_reader *reader, struct chrome_event *event,
		struct err *err);

/* After the end: does the text close all that it opened? */
bool chrome_is_closed(const struct chrome_reader *reader);

/* After the end: baseTimeNanoseconds, 0 without one. */
int64_t chrome_base(const struct chrome_reader *reader);

/* A time as JSON has it, in µs, as ns, by its digits: a double would round
 * it. False when it is no number or out of range. */
bool chrome_parse_time(struct str member, int64_t *ns);

/* The text between the quotes of a string, escapes as they stand; what is no
 * string comes back whole. */
struct str chrome_unquote(struct str member);

/* A member of an object such as args, as it stands; p is NULL when absent. The
 * object is one that a reader handed out. */
struct str chrome_find(struct str object, const char *name);

#endif
