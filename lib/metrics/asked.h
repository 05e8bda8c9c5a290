/*
 * Names given in options, and whether the input has them: metrics (--select,
 * --drop, --mean, --max, --strip-prefix), histograms (--quantile), labels
 * (--by, --without) and values (--match). A name that matches nothing is
 * probably a typo.
 *
 * Checking is cheap once all are found. Texts belong to the options and outlive
 * this; names in the input are kept here, as far as messages need them.
 */
#ifndef OBS_METRICS_ASKED_H
#define OBS_METRICS_ASKED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/intern.h"
#include "metrics/family.h"
#include "metrics/match.h"

enum asked_kind {
	ASKED_METRIC,
	ASKED_PREFIX,
	ASKED_HISTOGRAM,
	ASKED_LABEL,
	ASKED_MATCH
};

struct asked_item {
	enum asked_kind kind;
	const char *option; /* "--by" */
	struct str text;    /* a glob, a label or a matcher, as written */
	const struct matcher *matcher;
	struct intern values; /* of a matcher's label, so far */
	bool found;
	bool reported;
};

struct asked {
	struct asked_item *items;
	size_t n;
	size_t cap;
	size_t open;	       /* not found yet */
	struct intern metrics; /* existing ones, as families are written */
	struct intern labels;
	uint32_t n_metrics; /* labels recorded for */
	bool any;	    /* metrics existing */
	bool chooses;	    /* by their names */
	bool named;	    /* a sample has a name they select */
	uint64_t seen;	    /* samples of wanted metrics */
	uint64_t chosen;    /* and of these, accepted by all matchers */
	bool reported_none;
};

struct asked asked_new(void);
void asked_free(struct asked *a);

/* Add a name; if out of memory it is not reported. */
void asked_add(struct asked *a, enum asked_kind kind, const char *option,
	       struct str text, const struct matcher *matcher);

/* Look for missing names in a sample of a wanted metric, with all its labels;
 * chosen: all matchers accept it; names are those of its snapshot. 0 or
 * ERR_MEMORY. */
int asked_look(struct asked *a, const struct names *names,
	       const struct prom_label *labels, size_t n, bool chosen,
	       struct err *err);

/* The same, and count it. Cheap once all have been found. */
static inline int asked_sample(struct asked *a, const struct names *names,
			       const struct prom_label *labels, size_t n,
			       bool chosen, struct err *err)
{
	a->seen++;
	a->chosen += chosen;
	return a->open == 0 ? 0 : asked_look(a, names, labels, n, chosen, err);
}

/* Do the options exclude every existing sample? */
bool asked_leaves_none(const struct asked *a);

/* End of a snapshot. */
void asked_families(struct asked *a, const struct names *names);

/* Is anything missing? Describes the next one not yet reported in err: 1; 0 if
 * all were reported. -1: nothing is missing. */
int asked_next(struct asked *a, struct err *err);

#endif
