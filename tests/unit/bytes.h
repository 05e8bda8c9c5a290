/* Bytes as an input, for tests. */
#ifndef OBS_TESTS_UNIT_BYTES_H
#define OBS_TESTS_UNIT_BYTES_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "fmt/input.h"

static inline struct input *input_of_bytes(struct str bytes)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct input *input;
	struct err err;

	if (fd < 0 || !io_write(fd, bytes.p, bytes.n) ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	input = input_of(fd, &err);
	if (input == NULL)
		abort();
	return input;
}

#endif
