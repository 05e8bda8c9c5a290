#include "sink/timeline/tracks.h"

#include "check.h"

static struct tracks tracks;

static void check_nesting(void)
{
	check_case("nested and touching spans share a track");
	tracks_reset(&tracks);
	CHECK(tracks_place(&tracks, 0, 10) == 0);
	CHECK(tracks_place(&tracks, 0, 10) == 0);
	CHECK(tracks_place(&tracks, 2, 5) == 0);
	CHECK(tracks_place(&tracks, 5, 5) == 0);
	CHECK(tracks_place(&tracks, 5, 10) == 0);
	CHECK(tracks_place(&tracks, 10, 12) == 0);
	CHECK(tracks.count == 1);
}

static void check_overlap(void)
{
	check_case("a span that overlaps partly gets the first track free");
	tracks_reset(&tracks);
	CHECK(tracks_place(&tracks, 0, 10) == 0);
	CHECK(tracks_place(&tracks, 5, 15) == 1);
	CHECK(tracks_place(&tracks, 6, 20) == 2);
	CHECK(tracks_place(&tracks, 12, 18) == 0);
	CHECK(tracks_place(&tracks, 16, 25) == 1);
	CHECK(tracks.count == 3);
}

static void check_many(void)
{
	check_case("past the tracks tried, each span has its own");
	tracks_reset(&tracks);
	for (uint32_t i = 0; i < 3 * TRACKS_TRIED; i++)
		CHECK(tracks_place(&tracks, i, 1000 + i) == i);
	CHECK(tracks.count == 3 * TRACKS_TRIED);
}

int main(void)
{
	check_nesting();
	check_overlap();
	check_many();
	tracks_free(&tracks);
	return check_done();
}
