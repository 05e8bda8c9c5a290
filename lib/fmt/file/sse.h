/*
 * Server-sent events (WHATWG HTML, 9.2) that carry JSON, as lines of JSON: the
 * data of each event that is an object, one line per "data:" line. Other
 * fields, comments and data such as [DONE] are skipped.
 *
 * Input that begins like JSON is passed through, so that a reader need not know
 * which of the two a response is.
 */
#ifndef OBS_FMT_FILE_SSE_H
#define OBS_FMT_FILE_SSE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/source.h"

enum sse_state {
	SSE_NEW,   /* before the first non-blank byte */
	SSE_JSON,  /* the input is not an event stream */
	SSE_FIELD, /* inside a field name */
	SSE_BLANK, /* after "data:" */
	SSE_DATA,
	SSE_OTHER /* inside a skipped line */
};

struct sse_source {
	struct byte_source source; /* source for the JSON reader */
	struct byte_source *from;  /* borrowed */
	enum sse_state state;
	size_t matched; /* matched bytes of "data:" */
	struct buf lines;
};

void sse_open(struct sse_source *sse, struct byte_source *from);
void sse_close(struct sse_source *sse);

#endif
