/*
 * Expositions one after another without "# EOF": where the next one begins.
 * Its first series is that of the one before, again, and later.
 */
#ifndef OBS_METRICS_PAGE_EDGE_H
#define OBS_METRICS_PAGE_EDGE_H

#include "fmt/prom/prom.h"

enum { PAGE_NAME_MOST = 256 };

/* All zeros in the beginning. */
struct page_edge {
	bool begun; /* the exposition has a sample; set to false after an end */

	/* Private. */
	uint64_t series;  /* the first one */
	long double time; /* and its timestamp, or NaN */
	/* A TYPE since the last sample is of the next exposition if that sample
	 * begins it. */
	struct prom_line type;
	char name[PAGE_NAME_MOST];
};

/* Does this sample begin the next exposition? After "begun" was cleared, call
 * again. */
bool page_edge_sample(struct page_edge *e, const struct prom_line *line);

/* Keep a TYPE; and the one since the last sample, NULL if there is none. */
void page_edge_keep_type(struct page_edge *e, const struct prom_line *line);
const struct prom_line *page_edge_type(const struct page_edge *e);

/* The sample was read. */
void page_edge_pass(struct page_edge *e);

#endif
