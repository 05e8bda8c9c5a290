/*
 * A snapshot kept in memory: every series with its labels as text, its value
 * and its timestamp, linked to the metrics of metrics/family.h in input order.
 *
 * Label text is canonical: sorted by name with le or quantile last, empty
 * values kept as they came. Of series that are equal the first counts. Costs
 * 48 bytes per series and its label text, and up to 32 for the fingerprint. The
 * buckets of a histogram differ in le alone: those that follow each other share
 * the text of the other labels. Text of a mapped file is not copied.
 */
#ifndef OBS_METRICS_SERIES_H
#define OBS_METRICS_SERIES_H

#include <stdint.h>

#include "base/intern.h"
#include "metrics/family.h"
#include "metrics/labels.h"

struct series {
	const char *labels; /* all, or all but the last */
	uint64_t hash;	    /* of the metric's name and the labels */
	double value;
	uint32_t n; /* length of labels */
	uint32_t metric;
	uint32_t next;	/* of the same metric, or NO_NUMBER */
	uint32_t stamp; /* 0: no timestamp; else its number, from 1 */
	uint32_t last;	/* label that is not in labels: its number, from 1 */
	bool hidden;	/* not selected, kept for the next difference */
};

/* Several megabytes, of which small tables touch the first pages alone. */
enum { SERIES_CHUNK = 128 * 1024 };

struct series_table {
	struct arena arena; /* also of the names */
	struct names names;
	struct series **chunks;
	long double *stamps;
	uint32_t n;
	uint32_t chunks_n;
	uint32_t stamps_n;
	size_t chunks_cap;
	size_t stamps_cap;
	uint32_t *parts; /* the number of the first series of each part */
	uint32_t parts_n;
	size_t parts_cap;
	struct map seen;     /* hash to number */
	struct intern lasts; /* le="0.5" and so on */
	struct series_stem {
		const struct metric *metric; /* NULL: there is none */
		uint64_t hash;
		size_t n_labels; /* with the last one */
		struct str text; /* without it */
	} stem;			 /* of the series added last */
	struct series_added {
		struct metric *metric; /* NULL: it is settled */
		uint32_t behind;       /* the metric's last series before it */
		bool stamped;
		long double time;
		int64_t line_number;
	} added;		 /* the last series: may be a duplicate */
	struct label_set sorted; /* of the series being added */
	long double newest;	 /* timestamp; NaN: none */
	double arrived;		 /* Unix seconds at the end of the snapshot */
};

/* Others point to the table: it must not move. */
void series_table_init(struct series_table *t, const struct naming *naming,
		       struct report *report);
void series_table_free(struct series_table *t);
void series_table_clear(struct series_table *t);

static inline struct series *series_at(const struct series_table *t, uint32_t i)
{
	return &t->chunks[i / SERIES_CHUNK][i % SERIES_CHUNK];
}

/* The labels, as text that lives as long as the table and the arena do; p is
 * NULL when memory ran out. */
struct str series_labels(const struct series_table *t, const struct series *s,
			 struct arena *a);

/* Make *set hold the labels; they live as long as the table. */
int series_read_labels(const struct series_table *t, const struct series *s,
		       struct label_set *set, struct err *err);

/* When the snapshot was taken, in Unix seconds. */
double series_table_time(const struct series_table *t);

/* NaN if the series has none. */
long double series_time(const struct series_table *t, const struct series *s);

/*
 * Add a sample, which becomes the last series; 0 or an error. Whether it is a
 * duplicate is found by the next call or by settling, when its fingerprint has
 * come from memory: until then only that series may be looked at. A duplicate is
 * taken back, with a remark.
 */
int series_add(struct series_table *t, struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err);

/* Settle the last series, before the table is read or its part ends. */
int series_settle(struct series_table *t, struct err *err);

/* The series with that hash, NULL if there is none. */
struct series *series_find(const struct series_table *t, uint64_t hash);

/* The label that is last in a metric's label sets; NULL: none. */
const char *series_last_label(const struct metric *m);

/*
 * The samples of a family in input order:
 *	struct series_walk w = series_walk_of(t, f);
 *	for (s = series_walk_next(&w); s != NULL; s = series_walk_next(&w))
 */
enum { WALK_METRICS = 16 };

struct series_walk {
	const struct series_table *table;
	uint32_t heads[WALK_METRICS];
	uint32_t n;
};

struct series_walk series_walk_of(const struct series_table *t,
				  const struct family *f);
struct series *series_walk_next(struct series_walk *w);

#endif
