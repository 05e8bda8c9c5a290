/*
 * The kind of an input, from its first bytes and never from its name. Only this
 * file knows how formats begin; readers of JSON and text use the same bytes to
 * choose among the kinds our programs read.
 */
#ifndef OBS_FMT_INPUT_KIND_H
#define OBS_FMT_INPUT_KIND_H

#include <stdbool.h>

#include "base/str.h"

enum input_kind {
	INPUT_EMPTY,  /* or only blanks */
	INPUT_ZIP,    /* written by torch.save since torch 1.6 */
	INPUT_LEGACY, /* and before 1.6 */
	INPUT_PICKLE,
	INPUT_JSON,
	INPUT_GZIP,
	INPUT_FOREIGN, /* a known but unsupported format */
	INPUT_TEXT,
	INPUT_BINARY
};

/* For INPUT_GZIP and INPUT_FOREIGN, *name is a phrase for a message, "a tar
 * archive"; else NULL. */
enum input_kind input_kind_of(struct str head, const char **name);

/* The head without a byte order mark and the blanks after it. */
struct str input_text(struct str head);

/* Is it a JSON value that is neither an object nor an array? */
bool input_is_scalar(struct str head);

/* Do its first bytes look like text? A pickle of protocol 0 does. */
bool input_is_text(struct str head);

#endif
