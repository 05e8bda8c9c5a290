/*
 * A contiguous view of a source's bytes, as long as a reader needs: from p to
 * end. A reader advances p past what it has consumed and calls window_fill if
 * the rest is too short.
 */
#ifndef OBS_BASE_WINDOW_H
#define OBS_BASE_WINDOW_H

#include "base/buf.h"
#include "base/source.h"

struct window {
	struct byte_source *source; /* borrowed */
	const char *p, *end;
	/* Private. */
	struct buf kept; /* bytes that span blocks */
	bool in_kept;	 /* p and end point into it, else into the last block */
	bool over;	 /* the source is at its end */
	int64_t got;	 /* bytes read from the source, up to end */
	size_t max;	 /* upper bound of kept */
	const char *limit;
};

/* max is a constant of base/limits.h, passed by name. */
#define window_on(source, max) window_limited((source), (max), #max)
struct window window_limited(struct byte_source *source, size_t max,
			     const char *limit);
void window_free(struct window *w);

/* Append more bytes: 1, 0 if there are none, or an error: ERR_LIMIT if max
 * bytes are not enough. The view doubles, so that rescanning it each time stays
 * cheap. */
int window_fill(struct window *w, struct err *err);

/* The offset of p in the source. */
static inline int64_t window_offset(const struct window *w)
{
	return w->got - (w->end - w->p);
}

#endif
