/*
 * A streaming pull reader of expositions: lines out of any source of bytes,
 * whatever the pieces they come in.
 *
 * The unit of timestamps. Text 0.0.4 counts milliseconds, OpenMetrics seconds,
 * and only the "# EOF" at the end of a body tells them apart. By
 * PROM_BY_STREAM a lone body that ends in "# EOF" counts seconds, each body of
 * a sequence milliseconds; by PROM_BY_BODY each body that ends in "# EOF"
 * counts seconds. A stamp that is no integer can only be seconds. What cannot
 * be known yet when the first timestamp comes is found by reading ahead: the
 * rest of that body is then kept in memory. Without timestamps, or after the
 * comment "# obs-scrape stream", nothing is read ahead.
 *
 * The reader owns its buffer; slices of a line die with the next call.
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
	enum prom_unit unit; /* of the body being read */
	struct prom_parser parser;
	char *p; /* the buffer: cap bytes, start to end not read yet */
	size_t cap;
	size_t start;
	size_t end;
	size_t seen;	/* no LF between start and here */
	int64_t line;	/* number of the line given last, from 1 */
	int64_t bodies; /* that ended in "# EOF" so far */
	bool dropped;	/* the buffer no longer begins with the source */
	bool finished;	/* the source is at its end */
	bool streaming; /* "# obs-scrape stream" was read */
};

struct prom_reader prom_reader_new(ssize_t (*read)(void *source, void *p,
						   size_t n),
				   void *source, enum prom_units units);

/* Of a descriptor, which stays the caller's and is pointed to. */
struct prom_reader prom_reader_fd(int *fd, enum prom_units units);

void prom_reader_free(struct prom_reader *r);

/*
 * The next line that says something: 1; 0 at the end. ERR_INPUT and ERR_LIMIT
 * tell of one bad line, with its number in err->at: call again for the next.
 * Other errors are final.
 */
int prom_next(struct prom_reader *r, struct prom_line *line, struct err *err);

/* The first bytes of the source, read already or not; empty once they are out
 * of the buffer. */
struct str prom_head(const struct prom_reader *r);

#endif
