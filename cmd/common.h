/*
 * What programs share: reading options, messages (messages.h), the end.
 * A program's main is in outline:
 *
 *	int first = opt_parse(&program, argc, argv);
 *	opt_need_input(argc - first);
 *	for each operand: fail_err(&err) and go on when it failed
 *	return finish();
 */
#ifndef OBS_CMD_COMMON_H
#define OBS_CMD_COMMON_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "messages.h"
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

/* Does the operand stand for standard input? */
bool opt_is_stdin(const char *operand);

/* A usage error when an operand is empty, as an unset variable makes one, or
 * standard input is given twice: the second reading would find nothing. */
void opt_check_operands(int operands, char *const *names);

/* Writing to stdout failed: a reader that left ends the program by SIGPIPE,
 * anything else is STATUS_IO. */
noreturn void die_stdout(int errnum);

/* The last statement of main: closes stdout, whose failure is not silent,
 * and returns the remembered status. */
int finish(void);

/* For servers and programs that clean up: writes fail with EPIPE instead. */
void sigpipe_ignore(void);

/*
 * Values as deep as the limits allow are walked by recursion, which takes up
 * to STACK_NEEDED: call what is main but for its name, in a thread with so much
 * stack where the limit of the process is lower. For programs that read dumps.
 */
enum { STACK_NEEDED = 4 * 1024 * 1024 };
int run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv);

/* Of opt_parse: how messages name the program. */
void program_begin(const char *name);

#endif
