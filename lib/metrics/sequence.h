/*
 * Where snapshots begin and end in the input, and when they are answered.
 *
 * "# EOF" ends a snapshot. The first is held until the next line or the end of
 * input shows whether others follow, because a sequence is written differently
 * from a single snapshot; in a marked stream ("# obs-scrape stream") each is
 * answered as it ends. If the parts form one snapshot, "# EOF" only ends the
 * part.
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
	int (*answered)(struct err *err); /* called after each answer; 1: stop
					   * reading */
	/* Receives each line, too; may be NULL. */
	int (*line)(const struct prom_line *line, struct err *err);

	/* progress: */
	uint64_t answers; /* given */
	bool held;	  /* an ended snapshot waits for its answer */
	bool open;	  /* lines were read since the last end */
	bool any;	  /* a snapshot has ended */
	bool closed;	  /* several answers are certain */
	bool live;	  /* a stream, which a user may be watching */
	bool understood;  /* the part had a line */
	uint64_t samples; /* of the part */
	uint64_t bad;	  /* lines of the part */
	double arrived;	  /* Unix seconds, of the held or last one */
};

/*
 * Read one part to its end. source is its name in messages and outlives the
 * sequence; mtime is when its end arrived, NaN: now; `more`: other parts
 * follow.
 */
int sequence_read(struct sequence *s, struct metric_stream *r,
		  const char *source, const struct label_set *added,
		  double mtime, bool more, struct err *err);

/* End of input: answer what is held or open, or an empty snapshot if nothing
 * was read. */
int sequence_end(struct sequence *s, struct err *err);

#endif
