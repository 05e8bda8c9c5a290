/*
 * A body while it is copied: relabel.c reads it line by line, relabel_line.c
 * writes what becomes of a line; private to these.
 */
#ifndef OBS_METRICS_RELABEL_PARTS_H
#define OBS_METRICS_RELABEL_PARTS_H

#include "metrics/relabel.h"

struct relabel_writer {
	struct relabeler *r;
	const struct relabel_rules *rules;
	struct relabel_counts *counts;
	bool openmetrics;
	/* The metadata of a family is held until its first sample: the TYPE
	 * decides what name its HELP, which may come first, is written under.
	 */
	bool held;
	bool typed;
	enum prom_type type;
	char separator; /* before the next label of the sample */
};

/* All append to the relabeler's text, which is marked where it found no
 * room. A line of metadata is kept until its family's first sample or its
 * end. */
void relabel_hold_metadata(struct relabel_writer *w,
			   const struct prom_line *line);
void relabel_end_family(struct relabel_writer *w);
int relabel_put_sample(struct relabel_writer *w, const struct prom_line *line,
		       struct err *err);

#endif
