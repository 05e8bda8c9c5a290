/*
 * All metrics of one engine with recent values, from the lines of a stream.
 * Buckets and quantiles are omitted; a histogram or summary has its count and
 * sum.
 */
#ifndef OBS_METRICS_DETAIL_H
#define OBS_METRICS_DETAIL_H

#include "base/map.h"
#include "fmt/prom/prom.h"
#include "metrics/catalogue.h"

enum { DETAIL_VALUES = 60, DETAIL_METRICS = 4096 };

struct detail_metric {
	struct str name;
	struct str labels; /* as text, without those that identify the engine */
	const struct catalogue_row *row; /* NULL: not in the catalogue */
	bool counts;			 /* values are increases per second */
	double value;			 /* the last one, unchanged */
	double before;			 /* a counter's, one snapshot ago */
	bool here;			 /* in the current snapshot */
	float values[DETAIL_VALUES];	 /* a ring; the last is at n - 1 */
	uint64_t n;
};

struct detail {
	uint64_t engine;    /* id in the board */
	struct str address; /* its worker label; empty: take all */
	struct detail_metric **metrics;
	uint32_t n;
	size_t cap;
	struct map by_series;
	struct arena text;
	double time;   /* of the last snapshot; NaN: none yet */
	double set_by; /* by which its board's clock was set at that time */
	uint64_t snapshots;
};

/* name: the engine's, as on a board. NULL: no memory. */
struct detail *detail_new(uint64_t engine, struct str name);
void detail_free(struct detail *d); /* NULL is a no-op */

/* A line of the stream, and the end of a snapshot taken at `time` on a clock
 * that was set by set_by seconds in total. 0 or an error. */
int detail_take(struct detail *d, const struct prom_line *line,
		struct err *err);
void detail_end(struct detail *d, double time, double set_by);

/* The last n values, NaN if missing. */
void detail_history(const struct detail_metric *m, size_t n, double *values);

#endif
