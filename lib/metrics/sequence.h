/*
 * Where snapshots begin and end in what is read, and when they are answered.
 *
 * "# EOF" ends a snapshot. One that may be the only one is held back until
 * the next line or the end of input shows whether others follow, because a
 * sequence is written otherwise than a lone snapshot; in a stream that says
 * what it is ("# obs-scrape stream") each is answered as it ends. When the
 * parts make one snapshot together, "# EOF" ends but the part.
 */
#ifndef OBS_METRICS_SEQUENCE_H
#define OBS_METRICS_SEQUENCE_H

#include "metrics/aggregate.h"
#include "metrics/stream/metric_stream.h"

struct sequence {
	struct aggregate *aggregate;
	struct metric_sink *sink;
	bool together;			  /* all parts are one snapshot */
	bool strict;			  /* a bad line is an error */
	int (*answered)(struct err *err); /* called after each answer; 1: read
					   * no further */
	/* Learns of each line, too; NULL: nobody does. */
	int (*line)(const struct prom_line *line, struct err *err);

	/* how far it is: */
	uint64_t answers; /* given */
	bool held;	  /* an ended snapshot waits for its answer */
	bool open;	  /* lines were read since the last end */
	bool any;	  /* a snapshot has ended */
	bool closed;	  /* it is known that there are several answers */
	bool live;	  /* it is a stream, which may be watched */
	bool understood;  /* a line of the part was */
	uint64_t samples; /* of the part */
	uint64_t bad;	  /* lines of the part, and those before a good one */
	uint64_t early;
	double arrived; /* Unix seconds, of the held or last one */
};

/*
 * Read one part to its end. source is what messages call it and outlives the
 * sequence; mtime is when its end arrived, NaN: as it is read; `more`: other
 * parts follow.
 */
int sequence_read(struct sequence *s, struct metric_stream *r,
		  const char *source, const struct label_set *added,
		  double mtime, bool more, struct err *err);

/* The input is at its end: answer what is held or open, or, when nothing was
 * read, an empty snapshot. */
int sequence_end(struct sequence *s, struct err *err);

#endif
