/*
 * One series of a history in JSON while its object is read: its labels, in
 * canonical escapes, and its samples. fmt/prom/series_json.h knows the members
 * and where the object is.
 */
#ifndef OBS_FMT_PROM_SERIES_OBJECT_H
#define OBS_FMT_PROM_SERIES_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/json/json_tree.h"
#include "fmt/prom/prom_label.h"

struct numbers {
	double *v;
	size_t n;
	size_t cap;
};

struct series_object {
	struct json_tree *tree; /* the reader's; its arena is text */
	struct arena text;
	struct buf escaped;
	bool has_metric;
	bool in_pairs; /* values came with their timestamps */
	struct str name;
	struct prom_label *labels;
	size_t n_labels, labels_cap;
	uint64_t hash; /* of the labels */
	struct numbers values;
	struct numbers times; /* milliseconds; NaN: a bad sample */
	uint64_t bad;	      /* samples of all series */
};

struct series_object series_object_new(struct json_tree *tree);
void series_object_free(struct series_object *o);
void series_object_clear(struct series_object *o);

/* Each reads the value of a member: the labels; a list of values, of [SECONDS,
 * "VALUE"] or of timestamps; one such pair. 0 or an error. */
int series_object_metric(struct series_object *o);
int series_object_list(struct series_object *o, bool times);
int series_object_pair(struct series_object *o);

#endif
