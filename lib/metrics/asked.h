/*
 * What options name, and whether the input has it: metrics (--select, --drop,
 * --mean, --max, --strip-prefix), histograms (--quantile), labels (--by,
 * --without) and values (--match). What is nowhere is more likely a slip than
 * meant.
 *
 * Looking is cheap once all has been found. Texts are the options' own and
 * outlive this; what the input has is kept here, as far as messages need it.
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
	struct str text;    /* a glob, a label or a matcher, as it was given */
	const struct matcher *matcher;
	struct intern values; /* of a matcher's label, so far */
	bool found;
	bool told;
};

struct asked {
	struct asked_item *items;
	size_t n;
	size_t cap;
	size_t open;	       /* not found yet */
	struct intern metrics; /* there are, as families are written */
	struct intern labels;
	uint32_t n_metrics; /* whose labels were noted */
	bool any;	    /* there are metrics */
	bool chooses;	    /* by their names */
	bool named;	    /* a sample has a name that they choose */
	uint64_t seen;	    /* samples of wanted metrics */
	uint64_t chosen;    /* and of these, by all matchers */
	bool told_none;
};

struct asked asked_new(void);
void asked_free(struct asked *a);

/* Ask for it; when memory is short nothing is said of it. */
void asked_add(struct asked *a, enum asked_kind kind, const char *option,
	       struct str text, const struct matcher *matcher);

/* Look for what is not found yet in a sample of a wanted metric, with all its
 * labels; chosen: all matchers accept it; names are those of its snapshot. 0 or
 * ERR_MEMORY. */
int asked_look(struct asked *a, const struct names *names,
	       const struct prom_label *labels, size_t n, bool chosen,
	       struct err *err);

/* The same, and count it. Costs little once all has been found. */
static inline int asked_sample(struct asked *a, const struct names *names,
			       const struct prom_label *labels, size_t n,
			       bool chosen, struct err *err)
{
	a->seen++;
	a->chosen += chosen;
	return a->open == 0 ? 0 : asked_look(a, names, labels, n, chosen, err);
}

/* Do the options leave no sample of those that there are? */
bool asked_leaves_none(const struct asked *a);

/* A snapshot is at its end. */
void asked_families(struct asked *a, const struct names *names);

/* Is something missing? The next one not reported yet is described in err, if
 * there is one: 1; else 0. -1: nothing is missing. */
int asked_next(struct asked *a, struct err *err);

#endif
