/* Parsing a program's options, --help and --version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "common.h"
#include "opt_read.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 79 };

/* The current program, for opt_help and opt_version. */
static const struct program *current;

/* Print text, wrapped, from column on; further lines are indented. */
static void print_wrapped(const char *text, int column, int indent)
{
	const char *gap = "";

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (*gap && column + 1 + n > HELP_WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
			gap = "";
		}
		column += printf("%s%.*s", gap, n, text);
		gap = " ";
		text += n;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_row(const struct opt *row)
{
	char text[OPT_TEXT_MAX], words[OPT_TEXT_MAX];
	int column;

	if (row->letter)
		column = printf("  -%c, --%s", row->letter, row->name);
	else
		column = printf("      --%s", row->name);
	if (row->arg)
		column += printf(row->absent ? "[=%s]" : "=%s", row->arg);
	if (column + 2 > HELP_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", HELP_COLUMN - column, "");
	if (row->words)
		snprintf(text, sizeof(text), "%s: %s", row->help,
			 opt_join_words(row, words));
	print_wrapped(row->words ? text : row->help, HELP_COLUMN, HELP_COLUMN);
}

const char *opt_help(const char *value)
{
	(void)value;
	printf("Usage: %s %s\n\n", current->name, current->synopsis);
	print_wrapped(current->about, 0, 0);
	for (const struct opt *o = current->options; o->kind; o++) {
		if (o->kind == OPT_KIND_GROUP)
			printf("\n%s:\n", o->help);
		else
			print_row(o);
	}
	printf("\nExamples:\n");
	for (size_t i = 0; i < 3 && current->examples[i]; i++)
		printf("  %s\n", current->examples[i]);
	exit(finish());
}

const char *opt_version(const char *value)
{
	(void)value;
	printf("%s (obstools) %s\n", current->name, OBS_VERSION);
	for (size_t i = 0; current->libraries[i].name; i++)
		printf("%s %s\n", current->libraries[i].name,
		       current->libraries[i].version());
	exit(finish());
}

/* For tests and completions: letter, name, argument, kind (with '?' if the
 * value is optional), words, group and help, separated by tabs, "-" if there is
 * none. */
static noreturn void dump_options(void)
{
	const char *group = "-";
	char words[OPT_TEXT_MAX];

	for (const struct opt *o = current->options; o->kind; o++) {
		if (o->kind == OPT_KIND_GROUP) {
			group = o->help;
			continue;
		}
		printf("%c\t%s\t%s\t%s%s\t%s\t%s\t%s\n",
		       o->letter ? o->letter : '-', o->name,
		       o->arg ? o->arg : "-", opt_kind_name(o),
		       o->absent ? "?" : "",
		       o->words ? opt_join_words(o, words) : "-", group,
		       o->help);
	}
	exit(finish());
}

/* "obs-perfsum help" means --help, unless such a file exists. */
static bool asks_for_help(const struct program *program, int operands,
			  const char *operand)
{
	return !program->prefix && operands == 1 &&
	       strcmp(operand, "help") == 0 && access(operand, F_OK) != 0;
}

int opt_parse(const struct program *program, int argc, char **argv)
{
	char why[OPT_WHY_MAX];
	int first;

	current = program;
	program_begin(program->name);
	if (argc == 2 && strcmp(argv[1], "--dump-options") == 0)
		dump_options();
	first = opt_read(program->options, program->prefix, argc, argv, why);
	if (first == ERR_MEMORY)
		die_memory();
	if (first < 0)
		die_usage("%s", why);
	if (asks_for_help(program, argc - first, argv[first]))
		die_usage("no file is named help");
	return first;
}

bool opt_is_stdin(const char *operand)
{
	return strcmp(operand, "-") == 0 || strcmp(operand, "/dev/stdin") == 0;
}

void opt_check_operands(int operands, char *const *names)
{
	int n = 0;

	for (int i = 0; i < operands; i++) {
		if (*names[i] == '\0')
			die_usage("operand %d is empty", i + 1);
		n += opt_is_stdin(names[i]);
	}
	if (n > 1)
		die_usage("standard input given twice");
}

void opt_need_input(int operands)
{
	if (operands > 0 || !isatty(STDIN_FILENO))
		return;
	fprintf(stderr, "Usage: %s %s\n", current->name, current->synopsis);
	die_usage("no input on the command line, and stdin is a terminal");
}
