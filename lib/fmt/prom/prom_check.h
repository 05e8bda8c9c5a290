/*
 * Is a text an exposition of metrics, and how much of it?
 */
#ifndef OBS_FMT_PROM_PROM_CHECK_H
#define OBS_FMT_PROM_PROM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct prom_check {
	bool openmetrics; /* it ends in "# EOF" */
	uint64_t samples;
	bool eof;     /* there was a line "# EOF" */
	bool stream;  /* of several snapshots: "# obs-scrape stream", or "# EOF"
		       * before further samples and at the end */
	uint64_t bad; /* invalid lines */
	struct err first; /* of these, with its line number */
};

/* Read all of text. Returns 0, or ERR_MEMORY. */
int prom_check(struct str text, struct prom_check *check, struct err *err);

/* OpenMetrics 1.0, section 4.1.1: an exposition ends in "# EOF"; in text 0.0.4
 * that would be a comment, which nobody writes there. */
bool prom_ends_in_eof(struct str text);

/* The kind of a text by its first bytes if it is not an exposition, "an HTML
 * page"; NULL if unknown. */
const char *prom_check_other(struct str text);

#endif
