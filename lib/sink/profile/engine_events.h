/*
 * One engine profile being read, and its events as they are written: private to
 * sink/profile/engine_traces.h.
 */
#ifndef OBS_SINK_PROFILE_ENGINE_EVENTS_H
#define OBS_SINK_PROFILE_ENGINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "fmt/file/chrome_read.h"
#include "fmt/json/json_write.h"
#include "sink/profile/engine_traces.h"

/* A process's metadata from the file, as JSON text. */
struct process {
	struct str name, labels;
};

struct engine_trace {
	struct engine_profile about;
	struct intern pids;	   /* as JSON: a number's process by index */
	struct process *processes; /* of pids; in the arena */
	size_t cap;
	struct intern tids; /* those that must be replaced */
};

/* One pass over a file. */
struct engine_pass {
	struct arena *arena; /* for what is kept of it */
	struct engine_trace *file;
	bool any; /* an element with a phase was found */
	/* While writing: */
	struct json_writer *w;
	uint64_t first_pid;
	uint64_t number; /* of the file, from 1 */
	int64_t origin;	 /* ns */
};

enum engine_kind {
	ENGINE_EVENT,
	ENGINE_METADATA, /* has no time */
	ENGINE_UNTIMED,	 /* its time is invalid: a GPU record that was never
			  * filled begins at 0 and takes 0 */
	ENGINE_OTHER,	 /* not an event: it has no phase */
};

struct engine_time {
	int64_t start; /* ns from the file's base */
	int64_t length;
	bool repaired; /* its length was invalid: 0 */
};

enum engine_kind engine_classify(const struct chrome_event *e,
				 struct engine_time *time);

/* Write the metadata of a process, the at-th of the file. */
void engine_pass_name(const struct engine_pass *pass, uint32_t at);

/* Write an event, changed as needed; one without a time is dropped. 0 or
 * ERR_MEMORY. */
int engine_pass_write(struct engine_pass *pass, const struct chrome_event *e,
		      struct err *err);

#endif
