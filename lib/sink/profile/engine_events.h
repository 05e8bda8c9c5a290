/*
 * One profile of an engine while it is read, and its events as they are
 * written: see sink/profile/engine_traces.h, to which this is private.
 */
#ifndef OBS_SINK_PROFILE_ENGINE_EVENTS_H
#define OBS_SINK_PROFILE_ENGINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "fmt/file/chrome_read.h"
#include "fmt/json/json_write.h"

/* What the metadata of a file says of a process, as JSON text. */
struct process {
	struct str name, labels;
};

struct engine_trace {
	const char *path;
	struct intern pids;	   /* as JSON: a number's process by index */
	struct process *processes; /* of pids; in the arena */
	size_t cap;
	struct intern tids; /* those that cannot stay */
	int64_t base;
	int64_t earliest; /* ns; less base until the file is read */
	uint64_t events;
	uint64_t skipped; /* without a time that can be read */
};

/* One reading of a file. */
struct engine_pass {
	struct arena *arena; /* for what is kept of it */
	struct engine_trace *file;
	/* When it is written: */
	struct json_writer *w;
	uint64_t first_pid;
	uint64_t number; /* of the file, from 1 */
	int64_t origin;	 /* ns */
};

bool engine_is_metadata(const struct chrome_event *e);

/* Write the metadata of a process, the at-th of the file. */
void engine_pass_name(const struct engine_pass *pass, uint32_t at);

/* Write an event, changed as need be; one without a time that can be read is
 * left out. 0 or ERR_MEMORY. */
int engine_pass_write(struct engine_pass *pass, const struct chrome_event *e,
		      struct err *err);

#endif
