/*
 * The source of obs-top's stream: standard input or the output of a command
 * that it runs, optionally copied to a file.
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
	double written;	    /* see io_written */
	int errors;	    /* of the command, if read here; or -1 */
	pid_t child;	    /* 0: none, or it has ended */
	int status;	    /* from waitpid, once it has */
	bool stopped;	    /* it was terminated here */
	struct buf message; /* the command's last message */
	int copy;	    /* -1: no copy */
	char copy_name[64];
	/* Called before each read, until input is available; false: stop
	 * reading. NULL: reads block. */
	bool (*wait)(void *to);
	void *to;
};

/* command NULL: standard input. kept: hold back the command's standard error
 * until the end. A failure ends the program. */
void top_source_open(struct top_source *s, char **command, bool kept);

/* Terminate the command if it still runs, and report how it ended. */
void top_source_close(struct top_source *s);

/* For metric_stream_new. */
ssize_t top_source_read(void *source, void *p, size_t n);

/* The command wrote to standard error. */
void top_source_take_errors(struct top_source *s);

/* Copy what is read from now on, starting with the reader's unread bytes, to a
 * new file in this directory. Returns false and errno on failure. */
bool top_source_begin_copy(struct top_source *s, const struct metric_stream *r);
void top_source_end_copy(struct top_source *s, const struct metric_stream *r);

#endif
