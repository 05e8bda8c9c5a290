/*
 * When obs-scrape --interval takes its snapshots, and what becomes of the wall
 * clock in between.
 */
#ifndef OBS_CMD_SCRAPE_CLOCK_H
#define OBS_CMD_SCRAPE_CLOCK_H

#include "base/clock.h"
#include "base/io.h"

struct scrape_clock {
	struct ticker ticker;
	struct clock_watch watch;
};

/* The first snapshot is now. */
struct scrape_clock scrape_clock_new(double interval);

/* Sleep until the next one. If the wall clock was set since the last, say so in
 * the stream, whose readers put earlier times on the clock as it is then. */
void scrape_clock_wait(struct scrape_clock *clock, struct out *out);

#endif
