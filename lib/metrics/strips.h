/*
 * Engine metrics during a window of time, from a stream: one strip per kind of
 * value and one line per worker.
 *
 * A line has at most some thousand points, whatever the length of the stream:
 * if there are more, the window is divided into STRIP_BINS bins, each with its
 * minimum and maximum. Points extend a little beyond the window, so that lines
 * cross its ends.
 */
#ifndef OBS_METRICS_STRIPS_H
#define OBS_METRICS_STRIPS_H

#include "metrics/stream/metric_stream.h"

enum { STRIP_BINS = 2048 };

/* Margin beyond the ends of the window, relative to its length. */
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
	struct str title; /* for display: "running requests" */
	struct str unit;  /* unit of its values; empty: unknown */
	struct strip_line *lines;
	size_t n;
	size_t cap;
};

struct strips {
	struct strip *v;
	size_t n;
	size_t cap;
	double from, to; /* the window, Unix seconds */
	/* Of all samples, in the window or not; NaN: none. */
	double first, last;
	uint64_t snapshots; /* in the window */
	uint64_t unstamped; /* snapshots without a time, which are skipped */
	uint64_t repeated; /* values of series that their snapshot had already */
	uint64_t points;   /* values of the strips, in the window or not */
	uint64_t infinite; /* values that cannot be drawn, which are skipped */

	/* Private. */
	const char *const *globs;
	size_t n_globs;
	bool *matched; /* by glob */
	struct arena text;
	struct map wanted; /* names, by hash, and their purpose */
	struct str source; /* of the input */
};

/* Strips of the window: running, queued and retracted requests, KV cache use,
 * tokens per second, and the metrics whose name matches one of the globs, which
 * outlive the strips. 0 or an error; free in any case. */
int strips_init(struct strips *s, double from, double to,
		const char *const *globs, size_t n_globs, struct err *err);
void strips_free(struct strips *s);

/* The strip with that key, NULL if there is none; and a new one, NULL if out of
 * memory. */
struct strip *strips_find(struct strips *s, struct str key);
struct strip *strips_add(struct strips *s, struct str key, struct str title,
			 struct str unit);

/* Add a value of a worker; id identifies it. 0 or an error. */
int strips_put(struct strips *s, struct strip *strip, uint64_t id,
	       struct str worker, struct strip_point point, struct err *err);

/* Read a stream to its end. Expositions may follow one another without "# EOF":
 * a snapshot begins where the first series is there again, and later. A worker without a name is called source, which
 * outlives the strips. say is called for each skipped part. 0 or an error. */
int strips_read(struct strips *s, struct metric_stream *stream,
		struct str source, void (*say)(void *to, const struct err *err),
		void *to, struct err *err);

/* After the last stream: sort the points, and drop lines and strips without any
 * in or around the window. 0 or an error. */
int strips_settle(struct strips *s, struct err *err);

/* A glob that matched nothing drawable; NULL: none. */
const char *strips_unmatched(const struct strips *s);

#endif
