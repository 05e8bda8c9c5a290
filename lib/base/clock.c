#include "base/clock.h"

#include <errno.h>
#include <time.h>

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
