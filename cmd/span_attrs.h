/*
 * Attributes as a shell gives them: K=V, where V is a number, true, false,
 * null, or else a text; K:=JSON is any JSON value.
 */
#ifndef OBS_CMD_SPAN_ATTRS_H
#define OBS_CMD_SPAN_ATTRS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "fmt/value.h"
#include "trace/trace.h"

/* Owned: v, and in the arena all texts. A key given again replaces. */
struct span_attrs {
	struct obs_attr *v;
	size_t n, cap;
	struct arena arena;
};

struct span_attrs span_attrs_new(void);
void span_attrs_free(struct span_attrs *attrs);

/* Both copy the text. Returns NULL, or what is accepted. */
const char *span_attrs_take(struct span_attrs *attrs, struct str text);

/* A decoded value. */
void span_attrs_put(struct span_attrs *attrs, const char *key, struct value v);

/* Take the whole lines in b, and the rest, too, when it is the last; a line
 * that is no attribute is a failure that is said. */
void span_attrs_take_lines(struct span_attrs *attrs, struct buf *b, bool last);

#endif
