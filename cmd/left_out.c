#include "left_out.h"

#include "base/limits.h"
#include "common.h"

void left_out_say(const char *name, const struct losses *losses)
{
	struct buf text = buf_new(LIMIT_LINE);

	for (int i = 0; i < LOSSES; i++) {
		enum loss loss = (enum loss)i;

		buf_clear(&text);
		if (!losses_text(losses, loss, &text) || text.failed)
			continue;
		/* A span may have begun in an earlier file. */
		if (loss == LOST_START || loss == LOST_FIGURE)
			warn("%s: %.*s", name, STR_ARG(buf_str(&text)));
		else
			fail("%s: %.*s", name, STR_ARG(buf_str(&text)));
	}
	buf_free(&text);
}
