/*
 * What engines did while something else happened: the metrics of a stream over
 * a window of time, with one strip per kind of value and one line per worker.
 *
 * A line has at most some thousand points, however long the stream is: where
 * there are more, the window is cut into STRIP_BINS bins, and each keeps its
 * least and its greatest value. Points reach a little over the window, so
 * that lines run through its ends.
 */
#ifndef OBS_METRICS_STRIPS_H
#define OBS_METRICS_STRIPS_H

#include "metrics/stream/metric_stream.h"

enum { STRIP_BINS = 2048 };

/* How far over the ends of the window points are kept, of its length. */
#define STRIP_MARGIN 0.05

struct strip_point {
	double time; /* Unix seconds */
	double value;
};

struct strip_line {
	struct str worker; /* empty: the only one */
	uint64_t id;
	struct strip_point *v;
	size_t n;
	size_t cap;
	/* Private. */
	struct strip_point before, after; /* of the window; time NaN: none */
	bool unsorted;
};

struct strip {
	struct str key;	  /* "running", or a metric's name */
	struct str title; /* for people: "running requests" */
	struct str unit;  /* of its values; empty: none is known */
	struct strip_line *lines;
	size_t n;
	size_t cap;
};

struct strips {
	struct strip *v;
	size_t n;
	size_t cap;
	double from, to; /* the window, Unix seconds */
	/* Of all samples that came, in the window or not; NaN: none. */
	double first, last;
	uint64_t snapshots; /* in the window */
	uint64_t unstamped; /* snapshots without a time, which are left out */

	/* Private. */
	const char *const *globs;
	size_t n_globs;
	bool *matched; /* by glob */
	struct arena text;
	struct map wanted; /* names, by their hash, and what for */
	struct str source; /* of what is read */
};

/* Strips of the window, of running, queued and retracted requests, KV cache
 * use and tokens per second, and of the metrics whose name matches one of the
 * globs, which outlive the strips. 0 or an error; free in any case. */
int strips_init(struct strips *s, double from, double to,
		const char *const *globs, size_t n_globs, struct err *err);
void strips_free(struct strips *s);

/* The strip of that key, NULL when there is none; and a new one, NULL when
 * memory ran out. */
struct strip *strips_find(struct strips *s, struct str key);
struct strip *strips_add(struct strips *s, struct str key, struct str title,
			 struct str unit);

/* Add a value of a worker; id is its own. 0 or an error. */
int strips_put(struct strips *s, struct strip *strip, uint64_t id,
	       struct str worker, struct strip_point point, struct err *err);

/* Read a stream to its end. A worker that has no name there is called source,
 * which outlives the strips. say is called for each part that is left out. 0 or
 * an error. */
int strips_read(struct strips *s, struct metric_stream *stream,
		struct str source, void (*say)(void *to, const struct err *err),
		void *to, struct err *err);

/* After the last stream: the points come in order, and lines and strips that
 * have none in the window or around it go. 0 or an error. */
int strips_settle(struct strips *s, struct err *err);

/* A glob that nothing matched that can be drawn; NULL: all did. */
const char *strips_unmatched(const struct strips *s);

#endif
