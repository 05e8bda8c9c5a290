/*
 * One input, a file or standard input, opened once. Its first bytes are
 * available to choose a reader and are not read again: the source returns them
 * first. A pipe can be copied to an unlinked temporary file for readers that
 * seek or read it twice.
 */
#ifndef OBS_FMT_INPUT_H
#define OBS_FMT_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/source.h"
#include "fmt/input_kind.h"

struct input {
	/* The unread bytes; rewind goes back to the first byte. */
	struct byte_source source;
	/* The first bytes. They include the first non-blank line, unless that
	 * does not end in the first MiB. */
	struct str head;
	enum input_kind kind;
	const char *kind_name; /* see input_kind_of */
	int fd;
	off_t begin; /* of the input in fd; -1: a pipe that is not copied */

	/* Private. */
	uint64_t size; /* size of the input; UINT64_MAX: unknown */
	struct buf bytes;
	size_t given; /* bytes of the head already consumed */
	bool moved;   /* fd is not positioned at the end of the head */
	char *block;
};

/* Open a file, or standard input if the name is "-", and read its head. NULL
 * with err filled: ERR_IO or ERR_MEMORY. */
struct input *input_open(const char *name, struct err *err);

/* The same for a descriptor, from its position. The input owns it, even on
 * failure, and closes it unless it is standard input. */
struct input *input_of(int fd, struct err *err);
void input_close(struct input *input); /* NULL is a no-op */

/* Double the head before anything is read. False at the end of the input, on
 * failure, or if it would exceed LIMIT_LINE. */
bool input_widen_head(struct input *input);

/* Seek to an offset. ERR_IO for a pipe, unless all before it is buffered. */
int input_seek(struct input *input, uint64_t at, struct err *err);

/* Make it rewindable: a pipe is copied. 0 or an error. */
int input_keep(struct input *input, struct err *err);

/* read(2) of the unread bytes. */
ssize_t input_read(void *input, void *p, size_t n);

/* Append the unread bytes. 0 or an error. */
int input_read_all(struct input *input, struct buf *b, struct err *err);

#endif
