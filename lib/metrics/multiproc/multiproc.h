/*
 * The metrics of a prometheus_client multiprocess directory: many processes'
 * files become one exposition, as the client's own collector makes it
 * (prometheus_client for Python, multiprocess.py).
 *
 * Counters, summaries and histograms are added up by sample name and labels.
 * A histogram's buckets are stored each for itself: they are added up by
 * bound, accumulated when they are written, and give _count. Gauges go by the
 * mode in the file's name; a label `pid` is left out of them, and MPDB_ALL
 * sets it to the process. A gauge of MPDB_MOSTRECENT that was never set has
 * no sample. NaN has no part in minimum and maximum.
 *
 * Where the collector's answer depends on the order in which the directory
 * lists its files, the first file added counts: for the type and mode of a
 * family, its help, and of equal timestamps.
 *
 * Cost: a distinct key about three times its text, a gauge of MPDB_ALL 70
 * bytes a process. What is handed out is borrowed until multiproc_free.
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

/* Things by name, numbered as they came. */
struct multiproc_table {
	struct intern names;
	void **items;
	size_t cap;
};

struct multiproc {
	struct arena arena;   /* of all things in the tables */
	struct arena scratch; /* of one key, or of one series written */
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
 * Add the entries of a file that was read. Returns 0; ERR_INPUT when some are
 * not as they should be, with the first of them in err; or an error that is
 * final.
 */
int multiproc_add(struct multiproc *m, const struct mpdb_name *name,
		  struct mpdb *db, struct err *err);

/* Hand all families and samples to the sink, in the order in which they came
 * first; buckets by bound. */
int multiproc_walk(struct multiproc *m, struct metric_sink *sink,
		   struct err *err);

#endif
