/* Generated from lib/metrics/engines.tsv by scripts/gen-catalogue. */
#ifndef OBS_METRICS_CATALOGUE_TABLE_H
#define OBS_METRICS_CATALOGUE_TABLE_H

#include "metrics/catalogue.h"

extern const struct catalogue_row catalogue_rows[];
extern const uint32_t catalogue_n_rows;

/* Indices of rows, sorted by name with '_' for ':'. */
extern const uint16_t catalogue_order[];

/* NULL at the end: */
extern const char *const catalogue_engines[];
extern const char *const catalogue_prefixes[];
extern const char *const catalogue_carriers[];

struct catalogue_copy {
	struct str name;
	enum copy_label label;
};

extern const struct catalogue_copy catalogue_copies[]; /* "" at the end */

extern const char catalogue_text[];

#endif
