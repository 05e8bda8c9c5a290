/* trace-span --collect: records as samples with trace carriers. */
#ifndef OBS_CMD_SPAN_COLLECT_H
#define OBS_CMD_SPAN_COLLECT_H

#include "common.h"
#include "model/records.h"

/* Read the records of a file, "-" being stdin. A line that is none is a
 * failure, said; false with *status set when the file cannot be read, which is
 * said, too. */
bool span_load(struct records *records, const char *path, enum status *status);

/* Write {"samples": [...]} of all files. */
void span_collect(int count, char **files, const char *output);

#endif
