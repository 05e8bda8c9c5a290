/*
 * A target's exposition, copied as text 0.0.4 with the labels that say where
 * it came from.
 *
 * Labels are added as Prometheus adds a target's: where the sample has one of
 * that name already, the sample's moves to exported_NAME, further exported_
 * being put before as long as that name is taken, too; with `honor` the
 * sample's stays and ours is left out. A label without text counts as absent.
 * OpenMetrics becomes text: counters and infos are named as their samples
 * are, types that text does not know become those nearest, timestamps are
 * milliseconds, exemplars and units are left out.
 *
 * A body is taken whole or not at all. A HELP or TYPE that an earlier target
 * of the snapshot gave already is left out, so that what comes of many
 * targets is one exposition that other readers accept.
 */
#ifndef OBS_METRICS_RELABEL_H
#define OBS_METRICS_RELABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "metrics/labels.h"

struct relabel_rules {
	const struct prom_label *labels; /* plain names, plain text */
	size_t n;
	bool honor;    /* the sample's own label wins */
	bool strict;   /* a bad line refuses the body */
	bool stamped;  /* all samples get this timestamp: */
	int64_t stamp; /* milliseconds since 1970 */
};

/* As it came over the wire. */
struct relabel_body {
	struct str text;
	const char *type; /* Content-Type */
	bool end_known;	  /* nothing was lost at its end, says HTTP */
};

struct relabel_counts {
	uint64_t samples; /* written */
	uint64_t bad;	  /* lines left out */
	uint64_t odd;	  /* lines with an undefined escape */
	struct err first; /* of these, with its line */
};

struct relabeler {
	struct buf text; /* what the last call made; empty if it failed */
	struct prom_parser parser;
	struct intern seen; /* metadata lines of the snapshot */
	uint32_t *seen_in;  /* by number: the body that wrote it, or 0 */
	size_t seen_cap;
	uint32_t body;	 /* number of this one; 1: of none */
	struct buf name; /* of the family whose metadata is held */
	struct buf help;
	struct label_set added;	 /* the labels of the rules, in escapes */
	struct label_set merged; /* with those of a sample */
	struct arena texts;	 /* of added */
	struct arena scratch;	 /* of merged */
};

struct relabeler relabel_new(void);
void relabel_free(struct relabeler *r);

/* Forget what was seen: the next body begins a snapshot. */
void relabel_begin_snapshot(struct relabeler *r);

/* Copy a body into r->text. Returns 0; ERR_INPUT when it is not metrics, or
 * cut short; another error. */
int relabel_copy(struct relabeler *r, const struct relabel_body *body,
		 const struct relabel_rules *rules,
		 struct relabel_counts *counts, struct err *err);

/* Append what Prometheus tells of a target, to r->text: up,
 * scrape_duration_seconds and scrape_samples_scraped. */
int relabel_add_up(struct relabeler *r, bool is_up, double seconds,
		   uint64_t samples, const struct relabel_rules *rules,
		   struct err *err);

#endif
