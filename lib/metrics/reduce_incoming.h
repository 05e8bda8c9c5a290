/*
 * A sample on its way into a reduction, and its stages:
 *
 *	reduce.c         which group it belongs to
 *	reduce_series.c  whether it is new, and where buckets go
 *	reduce_facts.c   whether it counts: copies of a fact, totals of parts
 */
#ifndef OBS_METRICS_REDUCE_INCOMING_H
#define OBS_METRICS_REDUCE_INCOMING_H

#include "metrics/reduce.h"

static inline bool incoming_is_bucket(const struct incoming *in)
{
	return in->metric->role == ROLE_BUCKET;
}

/* Add a sample of a metric whose every series counts. 0 or an error. */
int reduce_take_series(struct reduce *r, const struct incoming *in,
		       struct err *err);

/* Add a sample that may be a copy. 0 or an error. */
int reduce_take_fact(struct reduce *r, const struct incoming *in,
		     struct err *err);

/* Count a value, unless it means "no value". */
void reduce_count(struct reduce *r, const struct metric *m, struct fold *fold,
		  const struct prom_line *line);

/* Record a series, bucket or fact, and its part. 1; 0 if it was recorded
 * before, with *part; ERR_MEMORY. */
int reduce_note(struct reduce *r, uint64_t hash, uint32_t *part);

/* The result of recording a bucket. */
struct noted {
	int code;      /* 1 new, 0 present, or: */
	uint32_t part; /* if code is 0: where it was */
	bool fresh;    /* it is the first of its histogram */
};

enum { REDUCE_BUCKET_AGAIN = 2 /* the same bound with another spelling */ };

/* Record a bucket and its histogram; code may be ERR_MEMORY. */
struct noted reduce_note_bucket(struct reduce *r, const struct incoming *in);

/* Count a bucket in its group. */
int reduce_count_bucket(struct reduce *r, const struct incoming *in,
			struct noted noted, struct err *err);

#endif
