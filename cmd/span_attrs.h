/*
 * Attributes as a shell gives them: K=V, where V is a number, true, false,
 * null, or else a text; K:=JSON is any JSON value.
 */
#ifndef OBS_CMD_SPAN_ATTRS_H
#define OBS_CMD_SPAN_ATTRS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "fmt/value/value.h"
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

/* Take lines of attributes as their bytes come; line holds what has begun of
 * one. A line that is no attribute, or longer than the buffer may be, is said
 * and left out. The last line needs no end but span_attrs_end_bytes. */
void span_attrs_take_bytes(struct span_attrs *attrs, struct buf *line,
			   struct str bytes);
void span_attrs_end_bytes(struct span_attrs *attrs, struct buf *line);

#endif
