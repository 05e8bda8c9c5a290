/*
 * Tracks: spans assigned greedily to as few lines as possible, such that on one
 * track any two are nested or disjoint, as importers of Chrome traces require
 * of a thread.
 *
 * Spans must be sorted by start, then longer first. Tracks are numbered from 0
 * since tracks_reset.
 */
#ifndef OBS_SINK_TIMELINE_TRACKS_H
#define OBS_SINK_TIMELINE_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many tracks are tried before a span gets its own: otherwise overlapping
 * spans would take quadratic time. */
enum { TRACKS_TRIED = 64 };

/* The ends of the open spans, the outermost first. */
struct track {
	int64_t *ends;
	size_t depth, cap;
};

struct tracks {
	struct track tried[TRACKS_TRIED];
	uint32_t used;	/* of tried */
	uint32_t count; /* all assigned numbers */
};

/* A zeroed struct is a valid start. */
void tracks_reset(struct tracks *tracks);
void tracks_free(struct tracks *tracks);

/* The track of a span, start <= end; equal to the count before the call if it
 * is a new one. TRACKS_FAILED if out of memory. */
#define TRACKS_FAILED UINT32_MAX
uint32_t tracks_place(struct tracks *tracks, int64_t start, int64_t end);

#endif
