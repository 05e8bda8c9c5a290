/* Files of trace records, read with one policy: a line that is not a record is
 * a failure, reported and skipped. */
#ifndef OBS_CMD_TRACE_FILE_H
#define OBS_CMD_TRACE_FILE_H

#include "rollout/records.h"

/* Add the records of an input, like trace_file_read. */
int trace_input_read(struct records *records, struct input *input,
		     const char *path, bool strict, struct err *err);

/* Add a file, "-" being stdin, to the records. 0, or an error with its source,
 * not yet reported; with strict the first bad line is one. */
int trace_file_read(struct records *records, const char *path, bool strict,
		    struct err *err);

#endif
