/*
 * The labels of -l, --label, which mean the same in every program.
 */
#ifndef OBS_CMD_LABEL_OPTIONS_H
#define OBS_CMD_LABEL_OPTIONS_H

#include "metrics/labels.h"
#include "options.h"

/* The labels as plain text, which stays argv's; the caller frees the set. A
 * malformed one, or a name given twice, is a usage error. */
struct label_set read_label_options(const struct opt_list *options);

#endif
