/*
 * The labels of -l, --label, shared by all programs.
 */
#ifndef OBS_CMD_LABEL_OPTIONS_H
#define OBS_CMD_LABEL_OPTIONS_H

#include "metrics/labels.h"
#include "options.h"

/* The labels as plain text, borrowed from argv; the caller frees the set. A
 * malformed one, or a duplicate name, is a usage error. */
struct label_set read_label_options(const struct opt_list *options);

#endif
