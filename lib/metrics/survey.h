/*
 * Maps a snapshot to the catalogue: the row of each metric, and the replicas. A
 * replica is all labels of a series that are not the engine's own: usually the
 * address of a server.
 */
#ifndef OBS_METRICS_SURVEY_H
#define OBS_METRICS_SURVEY_H

#include "metrics/series.h"

struct survey {
	const struct series_table *table;
	uint32_t *first; /* metric of each row, or of its replacement, numbered
			  * from 1; 0: none */
	uint32_t *next;	 /* by metric: another one of the same row */
	struct map replicas;
	bool has_prefill; /* series of such engines */
	bool has_decode;
};

/* 0 or an error; free in any case. The table is not changed. */
int survey_take(struct survey *s, const struct series_table *t,
		struct err *err);
void survey_free(struct survey *s);

/* Does the label identify the source of a series of the row? */
bool survey_is_place(const struct catalogue_row *row, struct str label);

#endif
