/*
 * Runs a command like the shell would, for trace-span.
 *
 * It stays in its process group, so that the terminal's signals and job control
 * reach it directly; other signals are passed on. It inherits everything but
 * OBS_TRACE_FD: the descriptor for attributes.
 */
#ifndef OBS_CMD_SPAN_RUN_H
#define OBS_CMD_SPAN_RUN_H

#include <stdbool.h>

#include "attr_args.h"
#include "rollout/sglang_meta.h"

struct span_run {
	int status;	 /* from waitpid */
	int cannot_run;	 /* errno if the command could not be run, or 0 */
	int output_lost; /* errno if its output could not be passed on */
	int ended_by;	 /* signal that ended the wait for output */
};

/* Call before parsing options: saves the signals a command inherits. */
void span_run_begin(void);

/*
 * Run argv to its end. attrs collects the attributes from OBS_TRACE_FD. With
 * meta, the command's standard output passes through and responses in it are
 * parsed into meta.
 */
struct span_run span_run(char **argv, struct attr_args *attrs,
			 struct sglang_meta *meta);

/* The exit status for how the command ended; if it was killed by a signal, this
 * process ends by the same. */
int span_run_finish(const struct span_run *run);

#endif
