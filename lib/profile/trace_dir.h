/*
 * The trace files of profilers in a directory: which exist, and which are
 * complete.
 *
 * A file is complete if its gzip trailer is right, its JSON is closed and it
 * has the list of events (SGLang gzips a finished file, but several ranks have
 * been seen to write to one name, and a disk may be full). Events that are not
 * JSON do not matter: waiting would not fix them. A file is read only once,
 * after it did not change between two scans.
 *
 * Names, from sglang's profile_utils.py and vLLM's torch profiler:
 *	[PREFIX-]ID-TP-r[-DP-r][-PP-r][-EP-r][-EXTEND|-DECODE].trace.json.gz
 *	merged-ID.trace.json.gz, WORKER.TIME.pt.trace.json[.gz]
 *
 * Ownership: path is the caller's; files and their names are the directory's.
 */
#ifndef OBS_PROFILE_TRACE_DIR_H
#define OBS_PROFILE_TRACE_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum trace_state {
	TRACE_NEW, /* not checked yet: it may still grow */
	TRACE_COMPLETE,
	TRACE_TORN, /* truncated, or not a trace */
};

struct trace_file {
	const char *name;
	int64_t bytes;
	int64_t changed; /* ns since 1970 */
	uint64_t events; /* of a complete one */
	enum trace_state state;
	bool old;	 /* it existed at trace_dir_forget */
	const char *why; /* of a torn one */
};

struct trace_dir {
	const char *path;
	struct arena arena;
	struct trace_file *files; /* sorted by name */
	size_t n, cap;
};

struct trace_dir trace_dir_new(const char *path);
void trace_dir_free(struct trace_dir *dir);

/* Scan again. A missing directory counts as empty. 0, ERR_IO, or ERR_MEMORY. */
int trace_dir_scan(struct trace_dir *dir, struct err *err);

/* Existing files do not count unless they change. */
void trace_dir_forget(struct trace_dir *dir);

/* New files that are complete. */
size_t trace_dir_count(const struct trace_dir *dir);

/* Is any new file incomplete? */
bool trace_dir_is_growing(const struct trace_dir *dir);

#endif
