/*
 * The page around the dumps in it: viewer/viewer.html with its style and
 * script put inline, its title set, and the streams of each dump in base64.
 *
 * Base64 holds nothing that could end a script element, and everything from
 * the dumps goes into the streams, save a name in the title. The streams of
 * one page can be copied into another without being opened.
 */
#ifndef OBS_SINK_TIMELINE_PAGE_H
#define OBS_SINK_TIMELINE_PAGE_H

#include "base/err.h"
#include "base/io.h"
#include "base/str.h"

struct origin; /* sink/timeline/fresh.h */

struct page {
	const char *name; /* for the title: of the first dump */
	size_t others;	  /* dumps named beside it */
	unsigned dumps;	  /* that are in it; counted by who puts them */
	bool begun;
};

/* What stands before the first dump's data; nothing when it was put before. */
void page_begin(struct page *page, struct out *out);

/* A stream of the next dump. */
void page_put_stream(const struct page *page, struct out *out, const char *name,
		     struct str packed);

/* The only dump of the page in a file becomes the next one of this page. */
int page_copy_dump(struct page *page, struct out *out, const char *path,
		   struct err *err);

/* The script, and what the page was made of: NULL when of no one file. */
void page_end(struct out *out, const struct origin *origin);

#endif
