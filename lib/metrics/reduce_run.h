/*
 * A reduction of samples that come one behind the other (metrics/reduce.c): what
 * the one before was taken as is open, and the next, which has the same name
 * and the same names of labels, need not be looked up again.
 */
#ifndef OBS_METRICS_REDUCE_RUN_H
#define OBS_METRICS_REDUCE_RUN_H

#include "metrics/reduce.h"

static inline void reduce_close(struct reduce *r)
{
	r->open.group = NULL;
}

/* The bucket that the open histogram has next if it goes on as others did;
 * NULL: it is unknown. */
static inline const struct bucket_path_end *
reduce_next_bucket(const struct reduce *r)
{
	const struct histogram *h = &r->histograms[r->open.group->histogram];

	if (h->part != r->names->n_parts || h->path == NO_PATH)
		return NULL;
	return bucket_path_next(&r->paths, h->path);
}

/* Take another bucket of the open histogram, with this le: the text itself that
 * the next one has, or another. */
int reduce_bucket(struct reduce *r, struct str le, const struct prom_line *line,
		  int64_t line_number, struct err *err);

/* Take a sample that differs from the open one, which is no bucket, in the
 * values of labels; open stays as it is, but for those. */
int reduce_like(struct reduce *r, const struct prom_line *line,
		const struct prom_change *change, int64_t line_number,
		struct err *err);

#endif
