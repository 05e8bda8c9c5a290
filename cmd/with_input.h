/*
 * The input of --with: trace records, which are events of samples, and engine
 * logs, whose records join the dump's requests.
 */
#ifndef OBS_CMD_WITH_INPUT_H
#define OBS_CMD_WITH_INPUT_H

#include "rollout/engine_logs.h"
#include "rollout/records.h"
#include "with_files.h"

struct with_input {
	struct with_files files;
	struct records *records;  /* NULL: the files have none */
	struct engine_logs *logs; /* likewise */
};

/* Read all files. Unusable data is reported; with strict the first such line is
 * an error. 0 or an error with its source. */
int with_input_read(struct with_input *with, const struct opt_list *given,
		    bool strict, struct err *err);
void with_input_free(struct with_input *with);

/* Print notes on the logs, once all samples were joined. */
void with_input_remark(const struct with_input *with, const char *dump);

#endif
