/*
 * One input, a file or standard input, opened once. Its first bytes are at
 * hand while it is decided who reads it, and are not read again: they come
 * first out of its source. A pipe can be kept in an unlinked temporary file by
 * who must read it out of order or twice.
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
	/* What has not been read yet; rewind goes back to the first byte. */
	struct byte_source source;
	/* The first bytes. They hold the first line that is not blank, unless
	 * that does not end in the first MiB. */
	struct str head;
	enum input_kind kind;
	const char *kind_name; /* see input_kind_of */
	int fd;
	off_t begin; /* of the input in fd; -1: a pipe, which is not kept */

	/* Private. */
	uint64_t size; /* of all of it; UINT64_MAX: unknown */
	struct buf bytes;
	size_t given; /* bytes of the head that were read */
	bool moved;   /* fd stands elsewhere than behind the head */
	char *block;
};

/* Open a file, or standard input by the name "-", and read its head. NULL with
 * err filled: ERR_IO or ERR_MEMORY. */
struct input *input_open(const char *name, struct err *err);

/* The same of a descriptor, from its place on. It is the input's from then on,
 * also when that fails, and closed with it unless it is standard input. */
struct input *input_of(int fd, struct err *err);
void input_close(struct input *input); /* NULL is a no-op */

/* Go on at an offset. ERR_IO for a pipe, unless all before that is at hand. */
int input_seek(struct input *input, uint64_t at, struct err *err);

/* Make sure that it can be read again: what comes from a pipe is copied. 0 or
 * an error. */
int input_keep(struct input *input, struct err *err);

/* read(2) of what has not been read yet. */
ssize_t input_read(void *input, void *p, size_t n);

/* Append what has not been read yet. 0 or an error. */
int input_read_all(struct input *input, struct buf *b, struct err *err);

#endif
