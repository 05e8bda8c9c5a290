/*
 * Are the cache and the page next to a dump up to date?
 *
 * Both identify the dump they were made from. Anything else is rebuilt: a file
 * of another dump, of an older state of it, of another version of the program,
 * or a truncated one.
 */
#ifndef OBS_SINK_TIMELINE_FRESH_H
#define OBS_SINK_TIMELINE_FRESH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"

/* The identity and state of a dump. */
struct origin {
	char *path; /* absolute, links resolved; owned */
	int64_t size;
	struct timespec changed;
	struct timespec replaced; /* ctime, which no copy preserves */
	const char *choice; /* which of its samples; NULL: all. Borrowed */
};

/* Read it before the dump is opened: if the dump changes in between, its files
 * are outdated. False if there is no such file or out of memory. */
bool origin_read(struct origin *origin, const char *dump);
void origin_free(struct origin *origin);

/*
 * The cache is no older than the dump, is one complete JSON object of the
 * current version, names this dump, and has the number of rows that it claims,
 * which must not be 0, so that the reason is reported each time. A cache of the
 * trainer's own viewer is accepted, too.
 */
bool cache_is_fresh(const char *cache, const struct origin *origin);

/* The page was completely written by this version of the program, from the dump
 * in this state. */
bool page_is_fresh(const char *page, const struct origin *origin);

/* Append the end of every page: the program and dump it was made by and from.
 * NULL: from a stream. */
void page_end_put(struct buf *b, const struct origin *origin);

#endif
