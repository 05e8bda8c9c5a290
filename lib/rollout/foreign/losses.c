#include "rollout/foreign/losses.h"

#include "base/str.h"

/* What happened to one, and to several. */
static const char *const texts[LOSSES][2] = {
	[LOST_EVENT] = {"event has no usable time and is skipped",
			"events have no usable time and are skipped"},
	[LOST_START] = {"span ends without a start: its duration is unknown",
			"spans end without a start: their durations are "
			"unknown"},
	[LOST_END] = {"request has a start but no usable end: it is "
		      "counted, but not shown",
		      "requests have a start but no usable end: they are "
		      "counted, but not shown"},
};

bool losses_text(const struct losses *losses, enum loss loss, struct buf *text)
{
	uint64_t n = losses->of[loss];

	if (n == 0)
		return false;
	buf_printf(text, "%llu ", (unsigned long long)n);
	if (loss != LOST_FIGURE)
		buf_puts(text, texts[loss][n > 1]);
	else if (n == 1)
		buf_printf(text, "figure is negative and is skipped: %s",
			   losses->figure);
	else
		buf_printf(text,
			   "figures are negative and are skipped, such as %s",
			   losses->figure);
	return true;
}
