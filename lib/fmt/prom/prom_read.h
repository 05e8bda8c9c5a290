/*
 * A streaming pull reader of expositions: lines from any source of bytes,
 * whatever the size of its reads.
 *
 * The unit of timestamps. Text 0.0.4 counts milliseconds, OpenMetrics seconds,
 * and only the "# EOF" at the end of a body distinguishes them. With
 * PROM_BY_STREAM a lone body that ends in "# EOF" is in seconds, each body of a
 * sequence in milliseconds; with PROM_BY_BODY each body that ends in "# EOF" is
 * in seconds. A timestamp that is not an integer can only be seconds. If the
 * unit is unknown at the first timestamp, the reader reads ahead: the rest of
 * that body is then kept in memory. Without timestamps, or after the comment "#
 * obs-scrape stream", nothing is read ahead.
 *
 * A last line without a line end is legal. It is truncated, and an error, if all
 * samples before it have timestamps and it has none, or one that is more than a
 * day before the last.
 *
 * The reader owns its buffer; slices of a line are invalid after the next call,
 * unless the line lasts.
 */
#ifndef OBS_FMT_PROM_PROM_READ_H
#define OBS_FMT_PROM_PROM_READ_H

#include <stdint.h>
#include <sys/types.h>

#include "fmt/prom/prom.h"

enum prom_units {
	PROM_BY_STREAM,
	PROM_BY_BODY,
	PROM_ALL_MILLISECONDS,
	PROM_ALL_SECONDS
};

struct prom_reader {
	/* read(2)'s contract: bytes, 0 at the end, -1 with errno. */
	ssize_t (*read)(void *source, void *p, size_t n);
	void *source;
	enum prom_units units;
	enum prom_unit unit; /* of the current body */
	struct prom_parser parser;
	char *p; /* the buffer: cap bytes, start to end are unread */
	size_t cap;
	size_t start;
	size_t end;
	size_t seen;	  /* no LF between start and here */
	int64_t line;	  /* number of the last line returned, from 1 */
	int64_t bodies;	  /* bodies ended in "# EOF" so far */
	bool unended;	  /* the last line returned has no LF */
	bool bare;	  /* a sample has no timestamp */
	long double time; /* of the last sample; NaN: none */
	bool borrowed;	  /* the buffer is a mapped file */
	bool dropped;	  /* the buffer no longer begins with the source */
	bool finished;	  /* the source is at its end */
	bool streaming;	  /* "# obs-scrape stream" was read */
};

struct prom_reader prom_reader_new(ssize_t (*read)(void *source, void *p,
						   size_t n),
				   void *source, enum prom_units units);

/* From a descriptor, which stays the caller's and is pointed to. */
struct prom_reader prom_reader_fd(int *fd, enum prom_units units);

/* Before the first line: read this text, a mapped file, instead. What of lines
 * stands in it lasts as long as it does. */
void prom_reader_borrow(struct prom_reader *r, struct str text);

void prom_reader_free(struct prom_reader *r);

/*
 * The next significant line: 1; 0 at the end. ERR_INPUT and ERR_LIMIT are about
 * one bad line, with its number in err->at: call again for the next. Other
 * errors are fatal.
 */
int prom_next(struct prom_reader *r, struct prom_line *line, struct err *err);

/* The first bytes of the source, consumed or not; empty once they have left the
 * buffer. */
struct str prom_head(const struct prom_reader *r);

#endif
