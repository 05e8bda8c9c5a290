/*
 * Traces of some operands, read side by side and summarised; what cannot be
 * read of them is reported.
 */
#ifndef OBS_CMD_PROFILE_SET_H
#define OBS_CMD_PROFILE_SET_H

#include "common.h"
#include "profile_files.h"
#include "sink/profile/profile_report.h"

struct profile_set {
	struct profile_files files;
	struct profile_report report;
	struct profile_totals saved; /* of saved JSON instead */
	bool is_saved;
};

/* What to read, and how much of it to keep. */
struct profile_reading {
	size_t top, gaps; /* entries of lists */
	int64_t jobs;	  /* files at a time; 0: one per CPU */
	bool saved;	  /* the only operand may be JSON that was saved */
};

/* Read operands, none being standard input. *worst is the status when nothing
 * could be used. */
void profile_set_read(struct profile_set *set,
		      const struct profile_reading *how, int count,
		      char **names, enum status *worst);

/* Is there something to show or to compare? */
bool profile_set_is_usable(const struct profile_set *set);

/* What --compare needs of it. Ends the program without memory. */
void profile_set_sum(const struct profile_set *set,
		     struct profile_totals *totals);

void profile_set_free(struct profile_set *set);

#endif
