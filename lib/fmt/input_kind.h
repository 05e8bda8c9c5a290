/*
 * What an input is, by its first bytes and never by its name. This is the only
 * place that knows how formats begin; which of the JSON or text that our
 * programs read it is, the readers of those tell from the same bytes.
 */
#ifndef OBS_FMT_INPUT_KIND_H
#define OBS_FMT_INPUT_KIND_H

#include <stdbool.h>

#include "base/str.h"

enum input_kind {
	INPUT_EMPTY,  /* or blanks alone */
	INPUT_ZIP,    /* what torch.save writes since torch 1.6 */
	INPUT_LEGACY, /* and before */
	INPUT_PICKLE,
	INPUT_JSON,
	INPUT_GZIP,
	INPUT_FOREIGN, /* another format that is known by name */
	INPUT_TEXT,
	INPUT_BINARY
};

/* *name is a phrase for a message, "a tar archive", of INPUT_GZIP and
 * INPUT_FOREIGN, else NULL. */
enum input_kind input_kind_of(struct str head, const char **name);

/* The head without a byte order mark, and blanks after it. */
struct str input_text(struct str head);

/* Is it a JSON value that is neither an object nor an array? */
bool input_is_scalar(struct str head);

/* Is it text, as far as its first bytes tell? A pickle of protocol 0 is. */
bool input_is_text(struct str head);

#endif
