/*
 * A stream of metrics, as snapshots, whatever it is written in: expositions
 * one after another (what obs-scrape --interval writes), Prometheus' answers
 * to query_range, VictoriaMetrics' export. Which it is, its first bytes tell.
 *
 * It is read line by line as fmt/prom/prom_read.h reads an exposition; a
 * snapshot of a history ends in PROM_EOF, too. Expositions are handed out as
 * they arrive. A history is read to its end first, since it is in the order of
 * its series; memory is that of the series' names, see
 * metrics/stream/points.h.
 */
#ifndef OBS_METRICS_STREAM_METRIC_STREAM_H
#define OBS_METRICS_STREAM_METRIC_STREAM_H

#include "fmt/prom/prom_read.h"
#include "fmt/prom/series_json.h"
#include "metrics/stream/snapshots.h"

enum { STREAM_HEAD = 64 * 1024 };

struct metric_stream {
	/* read(2)'s contract. */
	ssize_t (*read)(void *source, void *p, size_t n);
	void *source;
	int64_t line;	/* number of the line given last; a history has none */
	int64_t bodies; /* snapshots that have ended so far */
	bool streaming; /* it is written while it is read, by obs-scrape */

	/* What is wanted, to be set before the first line: metrics by their
	 * names (NULL: all) and times in milliseconds. */
	bool (*wants)(void *what, struct str name);
	void *wants_what;
	double from, to;
	/* Behind a history: has the source another, which read gives from now
	 * on? Their snapshots are merged by time. NULL: it has none. */
	bool (*next)(void *source);
	/* Of all timestamps so far, wanted or not: first > last: none. */
	long double first, last;

	/* Private. */
	bool begun;
	char *head; /* what was read to tell what it is */
	size_t head_n, head_given;
	struct prom_reader text;
	struct byte_source bytes; /* for json */
	struct series_json *json; /* NULL: no history is being read */
	bool is_history;	  /* otherwise these are expositions */
	uint64_t series;	  /* of the histories before */
	char *block;
	struct snapshots snapshots;
	struct series_json_found told;
	bool gathered;
};

/*
 * Of what read gives; units are of the timestamps of expositions. latest: of a
 * history, only its last snapshot is given. It stays where it is once the
 * first line was asked for.
 */
struct metric_stream
metric_stream_new(ssize_t (*read)(void *source, void *p, size_t n),
		  void *source, enum prom_units units, bool latest);

/* Of a descriptor, which stays the caller's and is pointed to. */
struct metric_stream metric_stream_fd(int *fd, enum prom_units units,
				      bool latest);
void metric_stream_free(struct metric_stream *s);

/* Is it a history, all snapshots of which are wanted? 1 or 0, or an error.
 * Before the first line. */
int metric_stream_all_history(struct metric_stream *s, struct err *err);

/*
 * The next line that says something: 1; 0 at the end. After ERR_INPUT or ERR_LIMIT,
 * part of the input is left out: call again for the rest. Other errors are
 * final.
 */
int metric_stream_next(struct metric_stream *s, struct prom_line *line,
		       struct err *err);

/* The first bytes of expositions, to tell what else they may be; empty once
 * they are read. */
struct str metric_stream_head(const struct metric_stream *s);

/* The bytes of expositions that were read and are in no line given yet. */
struct str metric_stream_unread(const struct metric_stream *s);

#endif
