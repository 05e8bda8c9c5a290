/*
 * Server-sent events (WHATWG HTML, 9.2) that carry JSON, as lines of JSON:
 * the data of each event that is an object, a line for each "data:" line.
 * Other fields, comments and data such as [DONE] are left out.
 *
 * An input that begins like JSON is handed on as it is, so that a reader need
 * not know which of the two an answer is.
 */
#ifndef OBS_FMT_FILE_SSE_H
#define OBS_FMT_FILE_SSE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/source.h"

enum sse_state {
	SSE_NEW,   /* before the first byte that is not blank */
	SSE_JSON,  /* the input is no stream of events */
	SSE_FIELD, /* in the name of a field */
	SSE_BLANK, /* behind "data:" */
	SSE_DATA,
	SSE_OTHER /* in a line that is left out */
};

struct sse_source {
	struct byte_source source; /* what a reader of JSON is given */
	struct byte_source *from;  /* borrowed */
	enum sse_state state;
	size_t matched; /* bytes of "data:" */
	struct buf lines;
};

void sse_open(struct sse_source *sse, struct byte_source *from);
void sse_close(struct sse_source *sse);

#endif
