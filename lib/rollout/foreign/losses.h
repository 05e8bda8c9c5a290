/*
 * What a reader leaves out of a file's rows or figures because it cannot be
 * used, by reason. It is counted, for one message per reason.
 */
#ifndef OBS_ROLLOUT_FOREIGN_LOSSES_H
#define OBS_ROLLOUT_FOREIGN_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum loss {
	LOST_EVENT,  /* a span or a point without a time to place it */
	LOST_START,  /* a span that ends, but has no start */
	LOST_END,    /* a request that starts, but has no end */
	LOST_FIGURE, /* a negative figure of a request or a sample */
	LOSSES
};

struct losses {
	uint64_t of[LOSSES];
	const char *figure; /* the first negative one's key; static */
};

static inline void losses_add(struct losses *to, const struct losses *from)
{
	for (int i = 0; i < LOSSES; i++)
		to->of[i] += from->of[i];
	if (to->figure == NULL)
		to->figure = from->figure;
}

/* Append "3 spans end without a start: ..."; false if there are none. */
bool losses_text(const struct losses *losses, enum loss loss, struct buf *text);

#endif
