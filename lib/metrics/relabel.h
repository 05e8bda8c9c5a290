/*
 * A target's exposition, copied as text 0.0.4 with the target's labels.
 *
 * Labels are added as in Prometheus: if the sample already has one of that
 * name, it is renamed exported_NAME, with more exported_ prefixes while that is
 * taken; with `honor` the sample's stays and ours is dropped. An empty label
 * counts as absent. OpenMetrics becomes text: counters and infos are named like
 * their samples, types unknown to text become the nearest ones, timestamps
 * become milliseconds, exemplars and units are dropped.
 *
 * A body is copied completely or not at all. A HELP or TYPE already written for
 * an earlier target of the snapshot is omitted, so that many targets form one
 * exposition that other parsers accept.
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
	bool strict;   /* a bad line rejects the body */
	bool stamped;  /* all samples get this timestamp: */
	int64_t stamp; /* milliseconds since 1970 */
};

/* As received over the wire. */
struct relabel_body {
	struct str text;
	const char *type; /* Content-Type */
	bool end_known;	  /* HTTP confirms that it is complete */
};

struct relabel_counts {
	uint64_t samples; /* written */
	uint64_t bad;	  /* skipped lines */
	uint64_t odd;	  /* lines with an undefined escape */
	struct err first; /* of these, with its line number */
};

struct relabeler {
	struct buf text; /* output of the last call; empty if it failed */
	struct prom_parser parser;
	struct intern seen; /* metadata lines of the snapshot */
	uint32_t *seen_in;  /* by number: the body that wrote it, or 0 */
	size_t seen_cap;
	uint32_t body;	 /* number of this one; 1: of none */
	struct buf name; /* of the family whose metadata is pending */
	struct buf help;
	struct label_set added;	 /* the rules' labels, escaped */
	struct label_set merged; /* with those of a sample */
	struct arena texts;	 /* of added */
	struct arena scratch;	 /* of merged */
};

struct relabeler relabel_new(void);
void relabel_free(struct relabeler *r);

/* Reset: the next body begins a snapshot. */
void relabel_begin_snapshot(struct relabeler *r);

/* Copy a body into r->text. Returns 0; ERR_INPUT if it is not metrics, or
 * truncated; another error. */
int relabel_copy(struct relabeler *r, const struct relabel_body *body,
		 const struct relabel_rules *rules,
		 struct relabel_counts *counts, struct err *err);

/* Append Prometheus's own series for a target to r->text: up,
 * scrape_duration_seconds and scrape_samples_scraped. */
int relabel_add_up(struct relabeler *r, bool is_up, double seconds,
		   uint64_t samples, const struct relabel_rules *rules,
		   struct err *err);

#endif
