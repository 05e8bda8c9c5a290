/*
 * The bytes of a source with as many of them at hand, in one piece, as a
 * reader needs: from p to end. A reader moves p behind what it has taken, and
 * calls window_fill when the rest is too short for it.
 */
#ifndef OBS_BASE_WINDOW_H
#define OBS_BASE_WINDOW_H

#include "base/buf.h"
#include "base/source.h"

struct window {
	struct byte_source *source; /* borrowed */
	const char *p, *end;
	/* Private. */
	struct buf kept; /* what spans blocks */
	bool in_kept;	 /* p and end are in it, else in the last block */
	bool over;	 /* the source has no more */
	int64_t got;	 /* bytes of the source, up to end */
	size_t max;	 /* more is never kept */
	const char *limit;
};

/* max is a constant of base/limits.h, given by its name. */
#define window_on(source, max) window_limited((source), (max), #max)
struct window window_limited(struct byte_source *source, size_t max,
			     const char *limit);
void window_free(struct window *w);

/* More bytes behind those from p on: 1, 0 when there are none, or an error:
 * ERR_LIMIT when max bytes are not enough. They become twice as many, so that
 * scanning them again each time stays cheap. */
int window_fill(struct window *w, struct err *err);

/* The offset of p in the source. */
static inline int64_t window_offset(const struct window *w)
{
	return w->got - (w->end - w->p);
}

#endif
