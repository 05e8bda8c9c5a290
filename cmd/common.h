/*
 * What programs share: reading options, messages, the exit status, the end.
 * A program's main is in outline:
 *
 *	int first = opt_parse(&program, argc, argv);
 *	opt_need_input(argc - first);
 *	for each operand: fail_err(&err) and go on when it failed
 *	return finish();
 *
 * Every message is one line on stderr, "PROGRAM: ...", written at once, with
 * control bytes escaped. Formats are printf's, without the newline.
 */
#ifndef OBS_CMD_COMMON_H
#define OBS_CMD_COMMON_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "base/buf.h"
#include "base/err.h"
#include "options.h"

/* A library that a program stands on and how to ask its version: "3.6.2". */
struct program_library {
	const char *name;
	const char *(*version)(void);
};

struct program {
	const char *name;
	const char *synopsis; /* "[OPTION]... [FILE]..." */
	const char *about;    /* what it does; wrapped for --help */
	const struct opt *options;
	const char *examples[3];	     /* command lines of 78 columns */
	struct program_library libraries[4]; /* for --version */
	bool prefix; /* options end at the first operand, a command's name */
};

/*
 * Read argv, store values, and return the index of the first operand. Answers
 * --help and --version and ends the program; so does a usage error. Gives
 * SIGPIPE its default action.
 */
int opt_parse(const struct program *program, int argc, char **argv);

/* With no operand and a terminal as stdin: short usage, status 2. */
void opt_need_input(int operands);

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

/* Hold what this thread has to say back in `held`; NULL: say it again at once.
 * messages_say then says what was held. */
void messages_hold(struct buf *held);
void messages_say(const struct buf *held);

/* The end. die_err derives the status from the error's code. */
noreturn void die(enum status status, const char *format, ...) LIKE_PRINTF(2);
noreturn void die_err(const struct err *err);

/* A usage error; "; see 'PROGRAM --help'" is appended. */
noreturn void die_usage(const char *format, ...) LIKE_PRINTF(1);

/* What was given, and with which value (or NULL), cannot be read: a usage
 * error, unless it was memory that lacked. */
noreturn void die_given(const char *name, const char *value,
			const struct err *err);

/* Writing to stdout failed: a reader that left ends the program by SIGPIPE,
 * anything else is STATUS_IO. */
noreturn void die_stdout(int errnum);

/* The status an error ends a program with. */
enum status status_of_err(const struct err *err);

/* Remember the graver of status and what was remembered before; a failed
 * input or output is graver than a threshold, that graver than a part. */
void status_raise(enum status status);

/* The last statement of main: closes stdout, whose failure is not silent,
 * and returns the remembered status. */
int finish(void);

/* Colour on this descriptor? A terminal that can, and no NO_COLOR. */
bool use_colour(int fd);

/* For servers and programs that clean up: writes fail with EPIPE instead. */
void sigpipe_ignore(void);

/* Of opt_parse: how messages name the program. */
void program_begin(const char *name);

#endif
