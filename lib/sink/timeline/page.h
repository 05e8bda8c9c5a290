/*
 * The page around the dumps in it: viewer/viewer.html with its style and
 * script put inline, its title set, and the streams of each dump in base64.
 *
 * Base64 contains nothing that could end a script element, and everything from
 * the dumps goes into the streams, except a name in the title. The streams of
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
	size_t others;	  /* other dumps it is named after */
	unsigned dumps;	  /* dumps in it; counted by the caller */
	bool begun;
	bool coded; /* its script was written */
};

/* Everything before the first dump's data; nothing if already written. */
void page_begin(struct page *page, struct out *out);

/* A stream of the next dump. */
void page_put_stream(const struct page *page, struct out *out, const char *name,
		     struct str packed);

/* The script, unless already written. It runs while what follows is still read:
 * before it stands what the first dump's rows are drawn from. */
void page_put_code(struct page *page, struct out *out);

/* Copy the only dump of the page in a file as the next one of this page. */
int page_copy_dump(struct page *page, struct out *out, const char *path,
		   struct err *err);

/* The end, with the page's origin: NULL if not a single file. */
void page_end(struct page *page, struct out *out, const struct origin *origin);

#endif
