/* Files of trace records, read with one policy: a line that is no record is a
 * failure, said, and left out. */
#ifndef OBS_CMD_TRACE_FILE_H
#define OBS_CMD_TRACE_FILE_H

#include "rollout/records.h"

/* Add what an input holds, as trace_file_read does. */
int trace_input_read(struct records *records, struct input *input,
		     const char *path, bool strict, struct err *err);

/* Add a file, "-" being stdin, to the records. 0, or an error with its source,
 * which is not said; with strict the first such line is one. */
int trace_file_read(struct records *records, const char *path, bool strict,
		    struct err *err);

#endif
