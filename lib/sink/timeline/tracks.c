#include "sink/timeline/tracks.h"

#include <stdlib.h>

#include "base/array.h"

void tracks_reset(struct tracks *tracks)
{
	tracks->used = 0;
	tracks->count = 0;
}

void tracks_free(struct tracks *tracks)
{
	for (uint32_t i = 0; i < TRACKS_TRIED; i++)
		free(tracks->tried[i].ends);
	*tracks = (struct tracks){0};
}

/* Is the span nested in the track's current ones, or after them? */
static bool fits(struct track *track, int64_t start, int64_t end)
{
	while (track->depth > 0 && track->ends[track->depth - 1] <= start)
		track->depth--;
	return track->depth == 0 || track->ends[track->depth - 1] >= end;
}

static bool push(struct track *track, int64_t end)
{
	if (!ARRAY_GROW(track->ends, track->depth, track->cap))
		return false;
	track->ends[track->depth++] = end;
	return true;
}

uint32_t tracks_place(struct tracks *tracks, int64_t start, int64_t end)
{
	uint32_t at = 0;

	while (at < tracks->used && !fits(&tracks->tried[at], start, end))
		at++;
	if (at == TRACKS_TRIED)
		return tracks->count++;
	if (at == tracks->used) {
		tracks->tried[at].depth = 0;
		tracks->used++;
		tracks->count++;
	}
	return push(&tracks->tried[at], end) ? at : TRACKS_FAILED;
}
