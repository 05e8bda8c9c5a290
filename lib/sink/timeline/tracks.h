/*
 * Tracks: spans spread over as few lines as greed finds, such that on one
 * track any two are nested or disjoint, which is what importers of Chrome
 * traces demand of a thread.
 *
 * Spans come by start, of equal ones the longer first. Tracks are numbered
 * from 0 since tracks_reset.
 */
#ifndef OBS_SINK_TIMELINE_TRACKS_H
#define OBS_SINK_TIMELINE_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many tracks are tried before a span gets one to itself: spans that all
 * overlap would otherwise take time by the square of their number. */
enum { TRACKS_TRIED = 64 };

/* The ends of the spans under way, the outermost first. */
struct track {
	int64_t *ends;
	size_t depth, cap;
};

struct tracks {
	struct track tried[TRACKS_TRIED];
	uint32_t used;	/* of tried */
	uint32_t count; /* all numbers given out */
};

/* A struct of zeroes is right to begin with. */
void tracks_reset(struct tracks *tracks);
void tracks_free(struct tracks *tracks);

/* The track of a span, start <= end; equal to the count before the call when
 * it is a new one. TRACKS_FAILED when memory ran out. */
#define TRACKS_FAILED UINT32_MAX
uint32_t tracks_place(struct tracks *tracks, int64_t start, int64_t end);

#endif
