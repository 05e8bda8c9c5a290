/*
 * The activity of a sample, from the name of its span: the same words and
 * patterns as in the viewer (lib/sink/viewer/palette.js).
 */
#ifndef OBS_ROLLOUT_ACTIVITY_H
#define OBS_ROLLOUT_ACTIVITY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"
#include "fmt/value/value.h"

/* In the order in which they are matched, and in which ties are decided. */
enum activity {
	ACTIVITY_TOOL,
	ACTIVITY_REWARD,
	ACTIVITY_QUEUE,
	ACTIVITY_TRANSFER, /* of the KV cache */
	ACTIVITY_PREFILL,
	ACTIVITY_DECODE,
	ACTIVITY_OTHER, /* a span whose name matches none of these */
	ACTIVITY_IDLE,	/* no span */
	/* Found by rollout/waits.h; no name matches these. */
	ACTIVITY_CLIENT_QUEUE,
	ACTIVITY_GROUP_WAIT,
	ACTIVITIES
};

/* "tool" and so on. */
const char *activity_word(enum activity activity);

/*
 * Span names by number, and the activity of each. A name that is not text is
 * converted like Python's str().
 */
struct span_names {
	struct intern texts;
	uint8_t *activities; /* enum activity, by number */
	size_t cap;
	struct buf scratch;
};

struct span_names span_names_new(void);
void span_names_free(struct span_names *names);

/* The name's number; INTERN_FAILED on failure, with the reason in
 * span_names_error: ERR_LIMIT or ERR_MEMORY. */
uint32_t span_names_add(struct span_names *names, struct value name);
int span_names_error(const struct span_names *names, struct err *err);

#endif
