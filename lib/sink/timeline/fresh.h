/*
 * May the cache and the page that lie beside a dump be used as they are?
 *
 * Both say which dump they were made of. Whatever does not is made anew: a
 * file of another dump, of an older state of it, of another version of the
 * program, or one that broke off.
 */
#ifndef OBS_SINK_TIMELINE_FRESH_H
#define OBS_SINK_TIMELINE_FRESH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"

/* Which dump, and in which state. */
struct origin {
	char *path; /* absolute, links resolved; owned */
	int64_t size;
	struct timespec changed;
	struct timespec replaced; /* its status changed: no copy keeps that */
	const char *choice; /* which of its samples; NULL: all. Borrowed */
};

/* Take it before the dump is opened: should that change in between, its files
 * are not fresh. False when there is no such file or memory ran out. */
bool origin_read(struct origin *origin, const char *dump);
void origin_free(struct origin *origin);

/*
 * The cache is no older than the dump, is one whole JSON object of the
 * version we write, names this dump, and has as many rows as it says, which
 * is not 0: why that is so is reported each time. A cache
 * that the trainer's own viewer wrote counts as well.
 */
bool cache_is_fresh(const char *cache, const struct origin *origin);

/* The page was written to its end by this version of the program, of the dump
 * in this state. */
bool page_is_fresh(const char *page, const struct origin *origin);

/* Append what every page ends with: what it was made by and of. NULL: of a
 * stream. */
void page_end_put(struct buf *b, const struct origin *origin);

#endif
