/*
 * What a program says on stderr, and the exit status that comes of it.
 *
 * Every message is one line, "PROGRAM: ...", written at once, with control
 * bytes escaped. Formats are printf's, without the newline. Any thread may
 * say something.
 */
#ifndef OBS_CMD_MESSAGES_H
#define OBS_CMD_MESSAGES_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "base/buf.h"
#include "base/err.h"

/* How messages name the program; kept. */
void messages_begin(const char *name);

enum status {
	STATUS_DONE = 0,
	STATUS_PARTLY = 1,    /* something failed, the rest was written */
	STATUS_USAGE = 2,     /* the command line is wrong */
	STATUS_INPUT = 3,     /* bad input or a limit, nothing useful written */
	STATUS_IO = 4,	      /* I/O error, or nothing could be reached */
	STATUS_THRESHOLD = 5, /* a threshold of the user's was exceeded */
};

/* -q and -v, stored by the rows of OPT_COMMON. */
extern bool quiet;
extern bool verbose;

#define LIKE_PRINTF(n) __attribute__((format(printf, n, (n) + 1)))

/* Worth knowing; silent with -q. */
void note(const char *format, ...) LIKE_PRINTF(1);

/* Only with -v. */
void detail(const char *format, ...) LIKE_PRINTF(1);

/* Odd, but nothing was lost: the status stays. Silent with -q. */
void warn(const char *format, ...) LIKE_PRINTF(1);
void warn_err(const struct err *err);

/* One input, target or record failed; the program goes on, partly done. */
void fail(const char *format, ...) LIKE_PRINTF(1);
void fail_err(const struct err *err);

/* A threshold that the user set was exceeded. */
void exceed(const char *format, ...) LIKE_PRINTF(1);

/* Say an error and leave the status alone. */
void say_err(const struct err *err);

/* Buffer the messages of this thread in `held`; NULL: print them at once again.
 * messages_flush prints what was buffered. A message that does not fit is
 * printed at once. */
void messages_buffer(struct buf *held);
void messages_flush(const struct buf *held);

/* The end. die_err derives the status from the error's code. */
noreturn void die(enum status status, const char *format, ...) LIKE_PRINTF(2);
noreturn void die_err(const struct err *err);
noreturn void die_memory(void);

/* A usage error; "; see 'PROGRAM --help'" is appended. */
noreturn void die_usage(const char *format, ...) LIKE_PRINTF(1);

/* What was given, and with which value (or NULL), cannot be read: a usage
 * error, unless it was memory that lacked. */
noreturn void die_given(const char *name, const char *value,
			const struct err *err);

/* The status an error ends a program with. */
enum status status_of_err(const struct err *err);

/* Remember the graver of status and what was remembered before; a failed
 * input or output is graver than a threshold, that graver than a part. */
void status_raise(enum status status);

/* The gravest status so far. */
enum status status_remembered(void);

#endif
