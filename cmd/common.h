/*
 * Shared by programs: parsing options, messages (messages.h), exit. The outline
 * of main:
 *
 *	int first = opt_parse(&program, argc, argv);
 *	opt_need_input(argc - first);
 *	for each operand: if it fails, fail_err(&err) and continue
 *	return finish();
 */
#ifndef OBS_CMD_COMMON_H
#define OBS_CMD_COMMON_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "messages.h"
#include "options.h"

/* A library used by a program and its version function: "3.6.2". */
struct program_library {
	const char *name;
	const char *(*version)(void);
};

struct program {
	const char *name;
	const char *synopsis; /* "[OPTION]... [FILE]..." */
	const char *about;    /* description; wrapped for --help */
	const struct opt *options;
	const char *examples[3];	     /* command lines of 78 columns */
	struct program_library libraries[4]; /* for --version */
	bool prefix; /* options end at the first operand, a command */
};

/*
 * Parse argv, store values, and return the index of the first operand. Handles
 * --help and --version, which end the program, as does a usage error. Resets
 * SIGPIPE to its default action.
 */
int opt_parse(const struct program *program, int argc, char **argv);

/* Without operands and with a terminal as stdin: short usage, status 2. */
void opt_need_input(int operands);

/* Is the operand standard input? */
bool opt_is_stdin(const char *operand);

/* A usage error if an operand is empty, like an unset variable, or if standard
 * input is given twice: the second read would find nothing. */
void opt_check_operands(int operands, char *const *names);

/* Writing to stdout failed: if the reader is gone, end by SIGPIPE; anything
 * else is STATUS_IO. */
noreturn void die_stdout(int errnum);

/* The last statement of main: closes stdout, reports a failure to, and returns
 * the recorded status. */
int finish(void);

/* For servers and programs that clean up: make writes fail with EPIPE. */
void sigpipe_ignore(void);

/*
 * Walking values recursively, as deep as the limits allow, takes up to
 * STACK_NEEDED: call the real main, in a thread with such a stack if the limit
 * of the process is lower. For programs that read dumps.
 */
enum { STACK_NEEDED = 4 * 1024 * 1024 };
int run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv);

/* For opt_parse: the program's name in messages. */
void program_begin(const char *name);

#endif
