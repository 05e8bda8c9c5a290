/*
 * Timeline sinks: what becomes of the rows of a dump. One walk over the rows
 * drives one sink; each output format is one implementation in its own file.
 *
 *	struct timeline_sink *sink = html_sink_new(&out, &about, &err);
 *	for each row: sink->row(sink, &row, &err)
 *	sink->end(sink, &err);
 *	sink->free(sink);
 *
 * A constructor returns NULL with err filled when memory ran out. It may
 * write the head of the format at once. `about`, what it points to, and the
 * writer stay the caller's and outlive the sink. A row is borrowed for the
 * call alone: what a sink keeps of it, it copies. Functions return 0 or an
 * error code; a failed write stays in the writer (see base/io.h), whose
 * out_close reports it. After an error only free may be called; free is
 * right at any time and accepts a sink that never ended.
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

/* Of the format of the cache. */
enum { CACHE_VERSION = 1 };

/* A dump too large for a page is cut to its longest samples, or, where it
 * cannot be read twice, to its first. */
enum timeline_cut { CUT_NONE, CUT_TO_LONGEST, CUT_TO_FIRST };

/* Which samples of a dump a sink is given; at end it says so. */
struct timeline_choice {
	const char *filter; /* NULL: all */
	int64_t top;	    /* the longest of them; 0: all */
	enum timeline_cut cut;
	uint64_t of;   /* rows that the dump has */
	unsigned part; /* of a dump in several pages, from 1; 0: in one */
	bool more;     /* another part follows */
};

/* What is known of a dump before its first row. */
struct timeline_about {
	const char *path;	     /* as given on the command line */
	const struct origin *origin; /* NULL when it is no file */
	const char *name;	 /* for people: usually the path's last part */
	struct value rollout_id; /* VALUE_ABSENT when the dump names none */
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
	uint64_t cuts; /* values of the rows so far that it cut */
};

/* The trainer's own viewer's cache: JSON, field by field the same. */
struct timeline_sink *cache_sink_new(struct out *out,
				     const struct timeline_about *about,
				     struct err *err);

/* A dump in a self-contained HTML page, which about->page tells of and the
 * caller ends. Keeps the rows compressed until the dump's end. */
struct timeline_sink *html_sink_new(struct out *out,
				    const struct timeline_about *about,
				    struct err *err);

/* Of such a sink, since a page has limits: from now on it only measures rows,
 * which are then given to another one; the sample that the next row is of,
 * which tells its tokens and worker; and the bytes of the attributes of all
 * rows so far. */
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
