/*
 * The dumps that a program is called with, read with one policy: a line of
 * JSONL that cannot be used is a failure and the next is read; a dump that is
 * truncated, or was never one, is a failure as a whole.
 */
#ifndef OBS_CMD_DUMP_H
#define OBS_CMD_DUMP_H

#include "common.h"
#include "options.h"
#include "rollout/clock_check.h"
#include "rollout/mix.h"
#include "rollout/rollout.h"
#include "with_input.h"

/* A file that is read behind another one, as one dump. */
struct dump_part {
	const char *name;
	struct input *input;
};

struct dump {
	const char *name; /* as given; "-" is stdin */
	struct input *input;
	struct dump_part *parts; /* files that are read behind it */
	size_t part_count;
	bool again; /* rewound: what was said of its records is not repeated */
	struct rollout *rollout;
	struct with_input beside; /* --with */
	bool mixed;		  /* its records: mix is open */
	struct mix mix;
	bool failed; /* it could not be read to its end; said already */
	bool read;   /* to its end */
};

/* --strict: stop at the first line that cannot be used. */
extern bool strict;

#define OPT_STRICT                                                             \
	OPT_FLAG(0, "strict", &strict, "stop at the first unreadable record")

/* --with: trace records and logs of engines, which join the one dump that is
 * read. */
extern struct opt_list with;

#define OPT_WITH                                                               \
	OPT_LIST(0, "with", "[WORKER=]PATH", &with,                            \
		 "add what an engine's request log, or a file of trace "       \
		 "records, says of the samples; may be repeated")

/* A usage error when there are records and several dumps to mix them into, or
 * when standard input would be read twice. No operand is standard input. */
void dump_check_with(int count, char **names);

/*
 * Join operands whose samples may be spread over several files, such as rotated
 * ones of OTLP: each is read behind the first of its format, and taken out of the
 * names. Returns how many are left.
 */
int dump_join_files(int count, char **names);

/* Are other operands read behind this one? */
bool dump_is_joined(const char *name);

/* Open a dump. False when that failed, which has been said. */
bool dump_open(struct dump *dump, const char *name);

/* The same for one that will be read twice: a pipe is copied to an unlinked
 * file. */
bool dump_open_rewindable(struct dump *dump, const char *name);

/* The same of an input of which only the head was looked at. It becomes the
 * dump's, also when that fails. */
bool dump_open_input(struct dump *dump, const char *name, struct input *input);

/* Begin anew with a dump whose input is kept. False when that failed, which has
 * been said. */
bool dump_rewind(struct dump *dump);

/* The next sample; false at the end and after a failure. */
bool dump_next(struct dump *dump, struct sample *sample);

/* The dump cannot be used: say why, once, and remember it; also of one that
 * was read and closed, when what was made of it came to nothing. */
void dump_fail(struct dump *dump, struct err *err);

/*
 * Close it, and remember whether it was read for the status of the program;
 * a doubtful dump (a wrong CRC) is said here. True when it was read whole.
 */
bool dump_close(struct dump *dump);

/* A usage error when the dump has no wall-clock times, which the option needs to
 * place what it adds. */
void dump_need_clock(const struct dump *dump, const char *option);

/* Say which samples have times that cannot be right, if any. */
void dump_warn_clock(const char *name, struct clock_check *check);

/* What is not a dump was read to its end, or a dump need not be read: it counts
 * as one that was read. */
void dump_count_read(void);

/* The gravest status of the dumps that could not be read. */
enum status dump_failure(void);

/* After the last dump: sets the program's status when every dump failed (bad
 * input or I/O error) or some did (partly done). True when any was read. */
bool dump_set_status(void);

#endif
