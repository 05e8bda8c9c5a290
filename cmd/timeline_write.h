/*
 * Reads a dump for trace-timeline, row by row, into the wanted formats.
 *
 * A dump is read once, or twice if only the rows that end last are wanted: because of
 * --top, or because it is too large for a page.
 */
#ifndef OBS_CMD_TIMELINE_WRITE_H
#define OBS_CMD_TIMELINE_WRITE_H

#include "dump.h"
#include "output.h"
#include "rollout/row_choice.h"
#include "rollout/row_filter.h"
#include "sink/timeline/fresh.h"
#include "sink/timeline/page.h"
#include "sink/timeline/sink.h"
#include "timeline_metrics.h"
#include "timeline_profiles.h"

enum timeline_format {
	FORMAT_HTML,
	FORMAT_CACHE,
	FORMAT_CHROME,
	FORMAT_SUMMARY,
};

/* By format; the last name is NULL. */
extern const struct timeline_writer {
	const char *name;
	struct timeline_sink *(*new_sink)(struct out *out,
					  const struct timeline_about *about,
					  struct err *err);
} timeline_formats[];

/* Which rows to write. */
struct wanted {
	const char *expression; /* of filter; NULL: all */
	struct row_filter *filter;
	int64_t top; /* that end last; 0: all */
};

/* Data shown next to the rows. */
struct shown_beside {
	struct engine_traces *profiles; /* for the Chrome trace; NULL: none */
	const struct metrics_wanted *metrics;
	const struct opt_list *gpus; /* profiles for the page; NULL: none */
	bool again; /* another dump follows that needs them, too */
};

/* A format and its output. The caller opens the output, ends the page and
 * closes or drops both; outputs of later parts are closed here. */
struct timeline_target {
	enum timeline_format format;
	struct output *output;
	struct page *page; /* for FORMAT_HTML, else NULL */
	bool whole;	   /* takes all rows, ignoring the filter */
	const char *parts; /* --split: the name of parts; else NULL */
	int64_t split;	   /* and the number of rows in each */

	/* Private. */
	struct timeline_sink *sink;
	struct row_size sum; /* in the sink */
	bool waits; /* for the second pass; the sink measures, or is none */
	bool full;  /* and there is no second pass */
	struct timeline_choice choice;
};

/* wanted as text, at its longest: "top=5 sample=EXPR"; NULL for all rows. The
 * caller frees it. */
char *wanted_text(const struct wanted *wanted);

/* Open a dump for what is wanted. False on failure, which is reported. */
bool timeline_open(struct dump *dump, const char *name,
		   const struct wanted *wanted);

/* Read an open dump into its targets and close it; origin is NULL if it is not
 * a file, beside if there is nothing to add. True if everything wanted was
 * written. Omissions from a page are reported. */
bool timeline_write(struct dump *dump, const struct origin *origin,
		    const struct wanted *wanted,
		    const struct shown_beside *beside,
		    struct timeline_target *targets, size_t count);

/* The name of a part: FILE.html becomes FILE.3.html. NULL if out of memory. */
char *part_name(const char *path, unsigned part);

#endif
