/*
 * Attributes from a shell: K=V, where V is a number, true, false, null, or else
 * text; K:=JSON is any JSON value.
 */
#ifndef OBS_CMD_ATTR_ARGS_H
#define OBS_CMD_ATTR_ARGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "fmt/value/value.h"
#include "trace/trace.h"

/* Owns v, and all text in the arena. A repeated key replaces. */
struct attr_args {
	struct obs_attr *v;
	size_t n, cap;
	struct arena arena;
};

struct attr_args attr_args_new(void);
void attr_args_free(struct attr_args *attrs);

/* Both copy the text. Return NULL, or what would be valid. */
const char *attr_args_take(struct attr_args *attrs, struct str text);

/* A decoded value. */
void attr_args_put(struct attr_args *attrs, const char *key, struct value v);

/* Take lines of attributes as bytes arrive; line holds an incomplete one. A
 * line that is not an attribute, or too long for the buffer, is reported and
 * skipped. attr_args_end_bytes ends an incomplete last line. */
void attr_args_take_bytes(struct attr_args *attrs, struct buf *line,
			  struct str bytes);
void attr_args_end_bytes(struct attr_args *attrs, struct buf *line);

#endif
