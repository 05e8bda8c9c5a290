/*
 * May the cache and the page that lie beside a dump be used as they are?
 */
#ifndef OBS_SINK_FRESH_H
#define OBS_SINK_FRESH_H

#include <stdbool.h>

/*
 * The cache is no older than the dump, is of the version we write, names a
 * dump of the same file name, and is one whole JSON object. A cache that the
 * trainer's own viewer wrote counts as well.
 */
bool cache_is_fresh(const char *cache, const char *dump);

/* The page is no older than the dump and was written to its end by this
 * version of the program. */
bool page_is_fresh(const char *page, const char *dump);

/* The end of every page, which names the version. */
extern const char page_end[];

#endif
