/*
 * Messages on stderr, and the resulting exit status.
 *
 * Every message is one line, "PROGRAM: ...", written at once, with control
 * bytes escaped. Formats are printf's, without the newline. Thread-safe.
 */
#ifndef OBS_CMD_MESSAGES_H
#define OBS_CMD_MESSAGES_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "base/buf.h"
#include "base/err.h"

/* The program's name in messages; borrowed. */
void messages_begin(const char *name);

enum status {
	STATUS_DONE = 0,
	STATUS_PARTLY = 1,    /* something failed, the rest was written */
	STATUS_USAGE = 2,     /* the command line is wrong */
	STATUS_INPUT = 3,     /* bad input or a limit, nothing useful written */
	STATUS_IO = 4,	      /* I/O error, or nothing could be reached */
	STATUS_THRESHOLD = 5, /* the user's threshold was exceeded */
};

/* -q and -v, stored by the rows of OPT_COMMON. */
extern bool quiet;
extern bool verbose;

#define LIKE_PRINTF(n) __attribute__((format(printf, n, (n) + 1)))

/* A note; silent with -q. */
void note(const char *format, ...) LIKE_PRINTF(1);

/* Only with -v. */
void detail(const char *format, ...) LIKE_PRINTF(1);

/* A warning: nothing was lost, the status stays. Silent with -q. */
void warn(const char *format, ...) LIKE_PRINTF(1);
void warn_err(const struct err *err);

/* One input, target or record failed; the program continues, partly done. */
void fail(const char *format, ...) LIKE_PRINTF(1);
void fail_err(const struct err *err);

/* The user's threshold was exceeded. */
void exceed(const char *format, ...) LIKE_PRINTF(1);

/* Print an error and leave the status alone. */
void say_err(const struct err *err);

/* Buffer the messages of this thread in `held`; NULL: print immediately again.
 * messages_flush prints what was buffered. A message that does not fit is
 * printed at once. */
void messages_buffer(struct buf *held);
void messages_flush(const struct buf *held);

/* Exit. die_err derives the status from the error's code. */
noreturn void die(enum status status, const char *format, ...) LIKE_PRINTF(2);
noreturn void die_err(const struct err *err);
noreturn void die_memory(void);

/* A usage error; "; see 'PROGRAM --help'" is appended. */
noreturn void die_usage(const char *format, ...) LIKE_PRINTF(1);

/* An option's value (or NULL) is invalid: a usage error, unless memory ran
 * out. */
noreturn void die_given(const char *name, const char *value,
			const struct err *err);

/* The exit status for an error. */
enum status status_of_err(const struct err *err);

/* Record the worse of status and the previous one; a failed input or output is
 * worse than a threshold, which is worse than a partial result. */
void status_raise(enum status status);

/* The worst status so far. */
enum status status_remembered(void);

#endif
