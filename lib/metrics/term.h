/*
 * A term of a step's formulas: some series of one metric of the catalogue,
 * under all its names, with copies merged and either totals or parts.
 *
 * Differences are computed per series before copies are merged. A series that
 * went down is omitted. A new one began at 0 if its replica existed before;
 * that of a new replica is omitted. So is a fact whose copy with the lowest
 * rank vanished.
 */
#ifndef OBS_METRICS_TERM_H
#define OBS_METRICS_TERM_H

#include "metrics/copies.h"
#include "metrics/survey.h"

/* Which samples of a histogram or summary. */
enum term_part { TERM_VALUE, TERM_BUCKET, TERM_SUM, TERM_COUNT };

/* Which series count if requests go through two engines. */
enum term_side { SIDE_ANY, SIDE_PREFILL, SIDE_DECODE };

struct term {
	int16_t row; /* of the catalogue; -1: no term */
	enum term_part part;
	const char *label;  /* NULL: all series */
	const char *values; /* of the label, separated by '|'; "5*" is a prefix,
			     * "#" is `number` of struct term_how */
};

/* How to read a term. */
struct term_how {
	const struct survey *before; /* NULL: values, else increases */
	const struct survey *now;
	const struct term *beside; /* the other term of a ratio, or NULL */
	enum term_side side;
	uint32_t number;
};

/* The contribution of one series. */
struct term_item {
	const struct series *from;
	uint64_t series;  /* all labels but le */
	uint64_t fact;	  /* these, without those that distinguish copies */
	uint64_t whole;	  /* the fact of its total */
	uint64_t replica; /* the labels that are not the engine's own */
	uint64_t worker;  /* the same, or the worker's name for display */
	uint64_t pair;	  /* its replica, and the labels that pair a ratio */
	uint64_t unit;	  /* unit with its own rate: a dp rank, a GPU */
	struct copy_rank rank;
	double value;
	double bound; /* of a bucket */
	bool part;    /* of a total */
	bool good;    /* its value is known */
	bool out;     /* a copy, or in a total */
};

struct term_items {
	struct term_item *v;
	size_t n;
	size_t cap;
	struct label_set labels;
	struct map given; /* replicas found under another spelling */
};

struct term_items term_items_new(void);
void term_items_free(struct term_items *t);

/* Read a term; excluded items are removed. 0 or an error. */
int term_read(struct term_items *t, const struct term *term,
	      const struct term_how *how, struct err *err);

/* The label of a series that names its worker for display; NULL: none. */
const struct prom_label *term_worker_label(const struct prom_label *labels,
					   size_t n);

#endif
