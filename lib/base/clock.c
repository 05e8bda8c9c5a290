#include "base/clock.h"

#include <errno.h>
#include <time.h>

#define LEAST_STEP (100 * NS_PER_MS)

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

int64_t clock_wall(void)
{
	return now(CLOCK_REALTIME);
}

int64_t clock_monotonic(void)
{
	return now(CLOCK_MONOTONIC);
}

/* How far the wall clock is ahead of the time since boot. Between the two
 * readings the process may have been stopped: then they are taken again. */
static int64_t wall_ahead(void)
{
	int64_t before, wall, after;

	do {
		before = now(CLOCK_BOOTTIME);
		wall = clock_wall();
		after = now(CLOCK_BOOTTIME);
	} while (after - before > LEAST_STEP / 2);
	return wall - before;
}

int64_t clock_set_by(struct clock_watch *watch)
{
	int64_t ahead = wall_ahead();
	int64_t step = watch->ahead == 0 ? 0 : ahead - watch->ahead;

	if (watch->ahead == 0 || step >= LEAST_STEP || step <= -LEAST_STEP) {
		watch->ahead = ahead;
		return step;
	}
	return 0;
}

static void sleep_until(int64_t deadline)
{
	struct timespec t = {
		.tv_sec = deadline / NS_PER_SECOND,
		.tv_nsec = deadline % NS_PER_SECOND,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

struct ticker ticker_new(int64_t period)
{
	return (struct ticker){clock_monotonic() + period, period};
}

int64_t ticker_wait(struct ticker *ticker)
{
	int64_t late = clock_monotonic() - ticker->next;
	int64_t missed = late > 0 ? late / ticker->period + 1 : 0;

	ticker->next += missed * ticker->period;
	sleep_until(ticker->next);
	ticker->next += ticker->period;
	return missed;
}
