/*
 * Timeline sinks: receivers of the rows of a dump. One walk over the rows
 * drives one sink; each output format is one implementation in its own file.
 *
 *	struct timeline_sink *sink = html_sink_new(&out, &about, &err);
 *	for each row: sink->row(sink, &row, &err)
 *	sink->end(sink, &err);
 *	sink->free(sink);
 *
 * A constructor returns NULL with err filled if out of memory. It may write the
 * head of the format immediately. `about`, what it points to, and the writer
 * stay the caller's and outlive the sink. A row is borrowed for the call: a
 * sink copies what it keeps. Functions return 0 or an error code; a failed
 * write is recorded in the writer (see base/io.h), whose out_close reports it.
 * After an error only free may be called; free may be called at any time, even
 * if the sink never ended.
 */
#ifndef OBS_SINK_TIMELINE_SINK_H
#define OBS_SINK_TIMELINE_SINK_H

#include <stdint.h>

#include "base/err.h"
#include "base/io.h"
#include "fmt/value/value.h"
#include "rollout/span.h"

struct origin;	      /* see fresh.h */
struct page;	      /* sink/timeline/page.h */
struct strips;	      /* metrics/strips.h */
struct gpu_lanes;     /* profile/gpu_lanes.h */
struct engine_traces; /* sink/profile/engine_traces.h */

/* The version of the cache's format. */
enum { CACHE_VERSION = 1 };

/* A dump too large for a page is cut to the samples that end last, or, if it
 * cannot be read twice, to its first. */
enum timeline_cut { CUT_NONE, CUT_TO_LATEST, CUT_TO_FIRST };

/* Which samples of a dump a sink receives; reported at the end. */
struct timeline_choice {
	const char *filter; /* NULL: all */
	int64_t top;	    /* that end last; 0: all */
	enum timeline_cut cut;
	uint64_t of;   /* rows of the dump */
	unsigned part; /* for a dump in several pages, from 1; 0: a single
		        * page */
	bool more;     /* another part follows */
};

/* Facts about a dump before its first row. */
struct timeline_about {
	const char *path;	     /* as on the command line */
	const struct origin *origin; /* NULL if it is not a file */
	const char *name;	 /* for display: usually the path's last part */
	struct value rollout_id; /* VALUE_ABSENT if the dump has none */
	const char *row_name;	 /* what a row is: "sample", "thread" ... */
	double generated_at;	 /* Unix seconds */
	struct engine_traces *profiles; /* for the Chrome trace; or NULL */
	/* Known at the end; or NULL. */
	const struct strips *strips;   /* metrics */
	const struct gpu_lanes *lanes; /* profiles, for html */
	struct page *page; /* for html: where the dump's data go; else NULL */
	const struct timeline_choice *choice; /* NULL: all rows */
};

struct sample; /* rollout/rollout.h */

struct timeline_sink {
	int (*row)(struct timeline_sink *sink, const struct row *row,
		   struct err *err);
	int (*end)(struct timeline_sink *sink, struct err *err);
	void (*free)(struct timeline_sink *sink);
	uint64_t cuts; /* values of the rows so far that it truncated */
};

/* The cache of the trainer's own viewer: JSON, identical field by field. */
struct timeline_sink *cache_sink_new(struct out *out,
				     const struct timeline_about *about,
				     struct err *err);

/* A dump in a self-contained HTML page, described by about->page and ended by
 * the caller. Keeps the rows compressed until the dump's end. */
struct timeline_sink *html_sink_new(struct out *out,
				    const struct timeline_about *about,
				    struct err *err);

/* For such a sink, since a page has limits: from now on only measure rows,
 * which then go to another one; the sample of the next row, for its tokens and
 * worker; and the size of the attributes of all rows so far. */
void html_sink_measure(struct timeline_sink *sink);
void html_sink_sample(struct timeline_sink *sink, const struct sample *sample);
uint64_t html_sink_bytes(const struct timeline_sink *sink);

/* Chrome Trace Event JSON for Perfetto and chrome://tracing. */
struct timeline_sink *chrome_sink_new(struct out *out,
				      const struct timeline_about *about,
				      struct err *err);

/* Counts and the breakdown, aligned text for people. */
struct timeline_sink *summary_sink_new(struct out *out,
				       const struct timeline_about *about,
				       struct err *err);

#endif
