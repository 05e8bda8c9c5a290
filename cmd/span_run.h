/*
 * A command run as the shell would run it, for trace-span.
 *
 * It stays in the process group it would have, so that the terminal's signals
 * and job control reach it by themselves; other signals that come here are
 * passed on. It inherits everything but OBS_TRACE_FD: the descriptor on which
 * it may write attributes.
 */
#ifndef OBS_CMD_SPAN_RUN_H
#define OBS_CMD_SPAN_RUN_H

#include <stdbool.h>

#include "attr_args.h"
#include "rollout/sglang_meta.h"

struct span_run {
	int status;	 /* of waitpid */
	int cannot_run;	 /* errno when the command could not be run, or 0 */
	int output_lost; /* errno when its output could not be passed on */
	int ended_by;	 /* signal that ended the wait for others' output */
};

/* Before options are read: what a command inherits of signals. */
void span_run_begin(void);

/*
 * Run argv to its end. attrs gets what comes by OBS_TRACE_FD. With meta, the
 * command's standard output passes through, and meta gets what its answers
 * say.
 */
struct span_run span_run(char **argv, struct attr_args *attrs,
			 struct sglang_meta *meta);

/* The exit status that stands for how the command ended; a command that was
 * killed by a signal takes this process with it by the same. */
int span_run_finish(const struct span_run *run);

#endif
