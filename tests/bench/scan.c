/*
 * The least that a reduction of an exposition on stdin could do: find each
 * line's end and read the number there, exactly. What scripts/bench
 * holds obs-aggregate against. Prints the samples and their sum.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

static char block[256 * 1024];
static unsigned long samples;
static double sum;

static void read_sample(const char *line, const char *lf)
{
	const char *blank = memrchr(line, ' ', (size_t)(lf - line));
	double value;

	if (*line == '#' || blank == NULL)
		return;
	if (num_parse_double(str_make(blank + 1, (size_t)(lf - blank - 1)),
			     &value)) {
		samples++;
		sum += value;
	}
}

/* Read the whole lines of the block; returns the bytes that are left, moved
 * to its front. */
static size_t read_lines(size_t n)
{
	const char *line = block, *end = block + n, *lf;

	for (;;) {
		lf = memchr(line, '\n', (size_t)(end - line));
		if (lf == NULL)
			break;
		read_sample(line, lf);
		line = lf + 1;
	}
	n = (size_t)(end - line);
	memmove(block, line, n);
	return n;
}

int main(void)
{
	size_t left = 0;
	ssize_t got;

	do {
		got = read(STDIN_FILENO, block + left, sizeof(block) - left);
		if (got > 0)
			left = read_lines(left + (size_t)got);
	} while (got > 0);
	printf("%lu %.17g\n", samples, sum);
	return got < 0;
}
