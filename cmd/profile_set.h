/*
 * The traces of some operands, read in parallel and summarised; what cannot be
 * read is reported.
 */
#ifndef OBS_CMD_PROFILE_SET_H
#define OBS_CMD_PROFILE_SET_H

#include "common.h"
#include "profile_files.h"
#include "sink/profile/profile_report.h"

struct profile_set {
	struct profile_files files;
	struct profile_report report;
	struct profile_totals saved; /* from saved JSON instead */
	bool is_saved;
};

/* What to read, and how much to keep. */
struct profile_reading {
	size_t top, gaps; /* entries of lists */
	int64_t jobs;	  /* files at a time; 0: one per CPU */
	bool saved;	  /* the only operand may be saved JSON */
};

/* Read operands, none of them standard input. *worst is the status if nothing
 * was usable. */
void profile_set_read(struct profile_set *set,
		      const struct profile_reading *how, int count,
		      char **names, enum status *worst);

/* Is there anything to show or to compare? */
bool profile_set_is_usable(const struct profile_set *set);

/* Does any trace have an event? Of saved output this is unknown: true. */
bool profile_set_has_events(const struct profile_set *set);

/* The data for --compare. Ends the program if out of memory. */
void profile_set_sum(const struct profile_set *set,
		     struct profile_totals *totals);

void profile_set_free(struct profile_set *set);

#endif
