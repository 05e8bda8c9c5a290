/*
 * The metrics of a prometheus_client multiprocess directory: merges many
 * processes' files into one exposition, like the client's own collector
 * (prometheus_client for Python, multiprocess.py).
 *
 * Counters, summaries and histograms are summed by sample name and labels. A
 * histogram's buckets are stored separately: they are summed by bound,
 * accumulated in the output, and give _count. Gauges follow the mode in the
 * file's name; a label `pid` is dropped from them, and MPDB_ALL sets it to the
 * process. A gauge of MPDB_MOSTRECENT that was never set has no sample. Minimum
 * and maximum ignore NaN.
 *
 * Where the collector's result depends on the order of files in the directory,
 * the first file added counts: for a family's type, mode and help, and for
 * equal timestamps.
 *
 * Cost: about three times its text per distinct key, 70 bytes per process for a
 * gauge of MPDB_ALL. Results are borrowed until multiproc_free.
 */
#ifndef OBS_METRICS_MULTIPROC_MULTIPROC_H
#define OBS_METRICS_MULTIPROC_MULTIPROC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "fmt/file/mpdb.h"
#include "metrics/metric_out.h"

/* Named items, numbered in order of appearance. */
struct multiproc_table {
	struct intern names;
	void **items;
	size_t cap;
};

struct multiproc {
	struct arena arena;   /* of all items in the tables */
	struct arena scratch; /* for one key, or one series written */
	struct buf text;
	struct multiproc_table keys;
	struct multiproc_table families;
	struct multiproc_table series;
	struct intern processes;
	struct map part_numbers; /* see metrics/multiproc/multiproc_parts.h */
	void **parts;		 /* by number: struct multiproc_part */
	size_t parts_cap;
};

struct multiproc multiproc_new(void);
void multiproc_free(struct multiproc *m);

/*
 * Add the entries of a file. Returns 0; ERR_INPUT if some are bad, with the
 * first of them in err; or a fatal error.
 */
int multiproc_add(struct multiproc *m, const struct mpdb_name *name,
		  struct mpdb *db, struct err *err);

/* Pass all families and samples to the sink, in order of first appearance;
 * buckets by bound. */
int multiproc_walk(struct multiproc *m, struct metric_sink *sink,
		   struct err *err);

#endif
