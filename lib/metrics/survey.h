/*
 * A snapshot seen by the catalogue: which of its metrics are which rows, and
 * which replicas it has. A replica is all labels of a series that are not its
 * engine's own: mostly the address of a server.
 */
#ifndef OBS_METRICS_SURVEY_H
#define OBS_METRICS_SURVEY_H

#include "metrics/series.h"

struct survey {
	const struct series_table *table;
	uint32_t *first; /* metric of each row, or of the one now in its place,
			  * numbered from 1; 0: none */
	uint32_t *next;	 /* of each metric: another of the same row */
	struct map replicas;
	bool has_prefill; /* series of such engines */
	bool has_decode;
};

/* 0 or an error; free in any case. The table stays as it is. */
int survey_take(struct survey *s, const struct series_table *t,
		struct err *err);
void survey_free(struct survey *s);

/* Does the label say where a series of the row comes from? */
bool survey_is_place(const struct catalogue_row *row, struct str label);

#endif
