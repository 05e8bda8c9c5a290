#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "common.h"

#define FIRST NS_PER_SECOND
#define EACH_ON_TERMINAL (200 * NS_PER_MS)
#define EACH_ELSEWHERE NS_PER_SECOND

struct progress progress_begin(size_t total, bool asked)
{
	bool terminal = isatty(STDERR_FILENO) == 1;

	return (struct progress){
		.total = total,
		.on = asked || (terminal && !quiet && total > 1),
		.terminal = terminal,
		.next = clock_monotonic() + (asked ? 0 : FIRST)};
}

static void put(const char *text)
{
	/* There is nowhere to report that stderr is gone. */
	if (!io_write(STDERR_FILENO, text, strlen(text)))
		return;
}

void progress_show(struct progress *progress, size_t done)
{
	char text[64];

	if (!progress->on || clock_monotonic() < progress->next)
		return;
	if (!progress->terminal) {
		note("dumps read: %zu of %zu", done, progress->total);
		progress->next = clock_monotonic() + EACH_ELSEWHERE;
		return;
	}
	snprintf(text, sizeof(text), "\rdumps read: %zu of %zu", done,
		 progress->total);
	put(text);
	progress->shown = true;
	progress->next = clock_monotonic() + EACH_ON_TERMINAL;
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		put("\r\033[K");
	progress->shown = false;
}
