/*
 * A body being copied: relabel.c parses it line by line, relabel_line.c writes
 * the output of a line; private to these.
 */
#ifndef OBS_METRICS_RELABEL_PARTS_H
#define OBS_METRICS_RELABEL_PARTS_H

#include "metrics/relabel.h"

struct relabel_writer {
	struct relabeler *r;
	const struct relabel_rules *rules;
	struct relabel_counts *counts;
	bool openmetrics;
	/* A family's metadata is held until its first sample: the TYPE
	 * determines the name used for its HELP, which may come first. */
	bool held;
	bool typed;
	enum prom_type type;
	char separator; /* written before the sample's next label */
};

/* All append to the relabeler's text, which is marked failed if out of room. A
 * line of metadata is held until its family's first sample or its end. */
void relabel_hold_metadata(struct relabel_writer *w,
			   const struct prom_line *line);
void relabel_end_family(struct relabel_writer *w);
int relabel_put_sample(struct relabel_writer *w, const struct prom_line *line,
		       struct err *err);

#endif
