/*
 * Reading a dump for trace-timeline, row by row, into the formats wanted.
 *
 * A dump is read once. It is read a second time when the longest rows are
 * wanted: because of --top, or because it is too large for a page.
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

/* Which rows are wanted. */
struct wanted {
	const char *expression; /* of filter; NULL: all */
	struct row_filter *filter;
	int64_t top; /* the longest of them; 0: all */
};

/* What is shown beside the rows. */
struct shown_beside {
	struct engine_traces *profiles; /* in the Chrome trace; NULL: none */
	const struct metrics_wanted *metrics;
	const struct opt_list *gpus; /* profiles in the page; NULL: none */
	bool again; /* another dump follows that they are read for, too */
};

/* A format and where it goes. The caller opens the output, ends the page and
 * closes or drops both; those of the later parts are ended here. */
struct timeline_target {
	enum timeline_format format;
	struct output *output;
	struct page *page; /* of FORMAT_HTML, else NULL */
	bool whole;	   /* takes all rows, whatever is wanted */
	const char *parts; /* --split: the name of the parts; else NULL */
	int64_t split;	   /* and how many rows each has */

	/* Private. */
	struct timeline_sink *sink;
	struct row_size sum; /* in the sink */
	bool waits; /* for the second reading; the sink measures, or is none */
	bool full;  /* and there is no second one */
	struct timeline_choice choice;
};

/* The longest text of wanted: "top=5 sample=EXPR"; NULL when all are. The
 * caller frees it. */
char *wanted_text(const struct wanted *wanted);

/* Open a dump as what is wanted demands. False when that failed, as said. */
bool timeline_open(struct dump *dump, const char *name,
		   const struct wanted *wanted);

/* Read an open dump into its targets and close it; origin is NULL when it is
 * no file; so is beside when there is nothing. True when they hold all that is
 * wanted of it. What a page leaves out is said. */
bool timeline_write(struct dump *dump, const struct origin *origin,
		    const struct wanted *wanted,
		    const struct shown_beside *beside,
		    struct timeline_target *targets, size_t count);

/* The name of a part: FILE.html is FILE.3.html. NULL without memory. */
char *part_name(const char *path, unsigned part);

#endif
