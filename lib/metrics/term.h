/*
 * A term of a step's formulas: some series of one metric of the catalogue,
 * under whatever names they come, copies folded and of totals and parts one.
 *
 * Differences are taken series by series and copies are folded after. A series
 * that went down is left out. One that is new began at 0 when its replica was
 * there before; that of a new replica is left out. A fact whose copy with the
 * lowest rank vanished is left out, too.
 */
#ifndef OBS_METRICS_TERM_H
#define OBS_METRICS_TERM_H

#include "metrics/copies.h"
#include "metrics/survey.h"

/* Which samples of a histogram or summary. */
enum term_part { TERM_VALUE, TERM_BUCKET, TERM_SUM, TERM_COUNT };

/* Whose series count where requests go through two engines. */
enum term_side { SIDE_ANY, SIDE_PREFILL, SIDE_DECODE };

struct term {
	int16_t row; /* of the catalogue; -1: no term */
	enum term_part part;
	const char *label;  /* NULL: all series */
	const char *values; /* of the label, with '|' between; "5*" begin so, "#"
			     * is `number` of struct term_how */
};

/* How a term is read. */
struct term_how {
	const struct survey *before; /* NULL: values, else increases */
	const struct survey *now;
	const struct term *beside; /* the other term of a ratio, or NULL */
	enum term_side side;
	uint32_t number;
};

/* What one series has to say. */
struct term_item {
	const struct series *from;
	uint64_t series;  /* all labels but le */
	uint64_t fact;	  /* these, less those in which copies differ */
	uint64_t whole;	  /* the fact of its total */
	uint64_t replica; /* the labels that are not its engine's own */
	uint64_t worker;  /* the same, or who it is of for people */
	uint64_t pair;	  /* its replica, and the labels that pair a ratio */
	uint64_t unit;	  /* what has a rate of its own: a dp rank, a GPU */
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
	struct map given; /* replicas that another spelling has given */
};

struct term_items term_items_new(void);
void term_items_free(struct term_items *t);

/* Read a term; items that are out have been taken away. 0 or an error. */
int term_read(struct term_items *t, const struct term *term,
	      const struct term_how *how, struct err *err);

/* The label that names a worker for people, of the labels of a series; NULL:
 * none does. */
const struct prom_label *term_worker_label(const struct prom_label *labels,
					   size_t n);

#endif
