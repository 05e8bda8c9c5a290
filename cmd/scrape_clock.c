#include "scrape_clock.h"

#include <math.h>
#include <stdio.h>

#include "common.h"

struct scrape_clock scrape_clock_new(double interval)
{
	struct scrape_clock clock = {
		.ticker = ticker_new((int64_t)(interval * NS_PER_SECOND))};

	clock_set_by(&clock.watch);
	return clock;
}

void scrape_clock_wait(struct scrape_clock *clock, struct out *out)
{
	int64_t missed = ticker_wait(&clock->ticker);
	double set = (double)clock_set_by(&clock->watch) / NS_PER_SECOND;
	char text[64];

	if (missed)
		note("the scrape took longer than the interval; "
		     "skipped %lld snapshot%s",
		     (long long)missed, str_plural((uint64_t)missed));
	if (set == 0)
		return;
	note("the clock was set %s by %.1f s", set > 0 ? "forward" : "back",
	     fabs(set));
	snprintf(text, sizeof(text), "# obs-scrape clock %+.3f\n", set);
	out_puts(out, text);
}
