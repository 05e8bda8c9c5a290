/*
 * Attributes as a shell gives them: K=V, where V is a number, true, false,
 * null, or else a text; K:=JSON is any JSON value.
 */
#ifndef OBS_CMD_ATTR_ARGS_H
#define OBS_CMD_ATTR_ARGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "fmt/value/value.h"
#include "trace/trace.h"

/* Owned: v, and in the arena all texts. A key given again replaces. */
struct attr_args {
	struct obs_attr *v;
	size_t n, cap;
	struct arena arena;
};

struct attr_args attr_args_new(void);
void attr_args_free(struct attr_args *attrs);

/* Both copy the text. Returns NULL, or what is accepted. */
const char *attr_args_take(struct attr_args *attrs, struct str text);

/* A decoded value. */
void attr_args_put(struct attr_args *attrs, const char *key, struct value v);

/* Take lines of attributes as their bytes come; line holds what has begun of
 * one. A line that is no attribute, or longer than the buffer may be, is said
 * and left out. The last line needs no end but attr_args_end_bytes. */
void attr_args_take_bytes(struct attr_args *attrs, struct buf *line,
			  struct str bytes);
void attr_args_end_bytes(struct attr_args *attrs, struct buf *line);

#endif
