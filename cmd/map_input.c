#include "map_input.h"

#include <signal.h>

#include "base/mapped.h"
#include "messages.h"

/* Synchronous: what it interrupts looks at bytes, and does nothing else. */
static noreturn void end_cut(int signum)
{
	(void)signum;
	/* NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c): synchronous */
	die(STATUS_IO,
	    "cannot read: an input was truncated while it was read; run "
	    "again when it is complete");
}

struct str map_input(int fd)
{
	struct str text = mapped_file(fd);

	if (text.p != NULL)
		signal(SIGBUS, end_cut);
	return text;
}
