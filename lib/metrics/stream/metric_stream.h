/*
 * A stream of metrics, as snapshots, in any format: consecutive expositions
 * (from obs-scrape --interval), Prometheus' responses to query_range,
 * VictoriaMetrics' export. The format is detected from the first bytes.
 *
 * It is read line by line like an exposition (fmt/prom/prom_read.h); a snapshot
 * of a history ends in PROM_EOF, too. Expositions are returned as they arrive.
 * A history is read to its end first, since it is ordered by series; memory is
 * that of the series' names, see metrics/stream/points.h.
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
	int64_t line;	/* of the last line returned; none in a history */
	int64_t bodies; /* snapshots ended so far */
	bool streaming; /* written while it is read, by obs-scrape */

	/* Selection, set before the first line: metrics by name (NULL: all) and
	 * times in milliseconds. */
	bool (*wants)(void *what, struct str name);
	void *wants_what;
	double from, to;
	/* A mapped file, which expositions are read from; p is NULL: none. */
	struct str mapped;
	/* After a history: is there another, which read returns from now on?
	 * Their snapshots are merged by time. NULL: no. */
	bool (*next)(void *source);
	/* Of all timestamps so far, selected or not; none if first > last. */
	long double first, last;

	/* Private. */
	bool begun;
	char *head; /* bytes read to detect the format */
	size_t head_n, head_given;
	struct prom_reader text;
	struct byte_source bytes; /* for json */
	struct series_json *json; /* NULL: not reading a history */
	bool is_history;	  /* otherwise: expositions */
	uint64_t series;	  /* of previous histories */
	char *block;
	struct snapshots snapshots;
	struct series_json_found reported;
	bool reported_empty; /* of the current history: it has an error */
	bool gathered;
};

/*
 * From read; units are those of timestamps in expositions. latest: return only
 * the last snapshot of a history. Must not move once the first line was
 * requested.
 */
struct metric_stream
metric_stream_new(ssize_t (*read)(void *source, void *p, size_t n),
		  void *source, enum prom_units units, bool latest);

/* From a descriptor, which stays the caller's and is pointed to. */
struct metric_stream metric_stream_fd(int *fd, enum prom_units units,
				      bool latest);
void metric_stream_free(struct metric_stream *s);

/* Is it a history, with all snapshots selected? 1 or 0, or an error. Call
 * before the first line. */
int metric_stream_all_history(struct metric_stream *s, struct err *err);

/*
 * The next significant line: 1; 0 at the end. After ERR_INPUT or ERR_LIMIT,
 * part of the input is skipped: call again for the rest. Other errors are
 * fatal.
 */
int metric_stream_next(struct metric_stream *s, struct prom_line *line,
		       struct err *err);

/* The first bytes of expositions, to detect other formats; empty once read. */
struct str metric_stream_head(const struct metric_stream *s);

/* Bytes of expositions that were read but not yet returned in a line. */
struct str metric_stream_unread(const struct metric_stream *s);

#endif
