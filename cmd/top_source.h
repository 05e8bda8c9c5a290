/*
 * Where obs-top's stream comes from: standard input, or the output of a
 * command that it runs; and a copy of it in a file, when that is wanted.
 */
#ifndef OBS_CMD_TOP_SOURCE_H
#define OBS_CMD_TOP_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "metrics/stream/metric_stream.h"

struct top_source {
	const char *name;
	int fd;
	int errors;	    /* of the command, if they are read here; or -1 */
	pid_t child;	    /* 0: none, or it has ended */
	int status;	    /* of waitpid, once it has */
	bool stopped;	    /* it was ended from here */
	struct buf message; /* what the command said last */
	int copy;	    /* -1: there is none */
	char copy_name[64];
	/* Called before each read, until something can be read; false: read
	 * no further. NULL: reading waits. */
	bool (*wait)(void *to);
	void *to;
};

/* command NULL: standard input. kept: what the command says on standard error
 * is held back until the end. A failure ends the program. */
void top_source_open(struct top_source *s, char **command, bool kept);

/* End the command, if it still runs; and report how it ended. */
void top_source_close(struct top_source *s);

/* For metric_stream_new. */
ssize_t top_source_read(void *source, void *p, size_t n);

/* What the command said on standard error has come. */
void top_source_take_errors(struct top_source *s);

/* Copy what is read from now on, which begins with the reader's unread bytes,
 * to a new file in this directory. Returns false and errno on failure. */
bool top_source_begin_copy(struct top_source *s, const struct metric_stream *r);
void top_source_end_copy(struct top_source *s, const struct metric_stream *r);

#endif
