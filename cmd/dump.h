/*
 * The dumps given to a program, read with one policy: a bad line of JSONL is a
 * failure, and reading continues; a dump that is truncated, or not a dump,
 * fails as a whole.
 */
#ifndef OBS_CMD_DUMP_H
#define OBS_CMD_DUMP_H

#include "bad_records.h"
#include "common.h"
#include "joined.h"
#include "options.h"
#include "rollout/mix.h"
#include "rollout/rollout.h"
#include "with_input.h"

struct dump {
	const char *name; /* as on the command line; "-" is stdin */
	struct input *input;
	struct joined joined; /* files appended to it */
	bool again;	      /* rewound: do not repeat notes on its records */
	struct bad_records bad;
	struct rollout *rollout;
	struct with_input beside; /* --with */
	bool mixed;		  /* it has records: mix is open */
	struct mix mix;
	bool failed; /* reading failed before its end; reported */
	bool read;   /* read to its end */
};

/* --strict: stop at the first bad line. */
extern bool strict;

#define OPT_STRICT                                                             \
	OPT_FLAG(0, "strict", &strict, "stop at the first unreadable record")

/* --with: trace records and engine logs, merged into the only dump. */
extern struct opt_list with;

#define OPT_WITH                                                               \
	OPT_LIST(0, "with", "[WORKER=]PATH", &with,                            \
		 "add data about the samples from an engine's request log or " \
		 "a file of trace records; may be repeated")

/* A usage error if there are records and several dumps, or if standard input
 * would be read twice. No operand is standard input. */
void dump_check_with(int count, char **names);

/* Open a dump. False if that failed, which has been reported. */
bool dump_open(struct dump *dump, const char *name);

/* The same for one that will be read twice: a pipe is copied to an unlinked
 * file. */
bool dump_open_rewindable(struct dump *dump, const char *name);

/* The same for an input of which only the head was read. The dump owns it, even
 * on failure. */
bool dump_open_input(struct dump *dump, const char *name, struct input *input);

/* Restart a dump whose input was kept. False if that failed, which has been
 * reported. */
bool dump_rewind(struct dump *dump);

/* The next sample; false at the end and on failure. */
bool dump_next(struct dump *dump, struct sample *sample);

/* The dump is unusable: report why, once, and record it; also for one that is
 * closed, if its output failed. */
void dump_fail(struct dump *dump, struct err *err);

/*
 * Close it, and record the result for the exit status; a doubtful dump (a wrong
 * CRC) is reported here. True if it was read completely.
 */
bool dump_close(struct dump *dump);

/* A usage error if the dump has no wall-clock times, which the option needs to
 * place its data. */
void dump_need_clock(const struct dump *dump, const char *option);

/* Something else than a dump was read to its end, or a dump need not be read:
 * count it as read. */
void dump_count_read(void);

/* The worst status of the dumps that could not be read. */
enum status dump_failure(void);

/* After the last dump: sets the exit status if every dump failed (bad input or
 * I/O error) or some did (partly done). True if any was read. */
bool dump_set_status(void);

#endif
