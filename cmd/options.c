#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "common.h"

enum {
	ROWS_MAX = 96,
	LONG_VALUE = 1000, /* getopt's val of row N's long form is this + N */
	HELP_COLUMN = 26,
	HELP_WIDTH = 79,
	TEXT_MAX = 512,
};

/* The program whose options are read, for opt_help and opt_version. */
static const struct program *current;

/* A factor that the letters after a number stand for. */
struct unit {
	const char *suffix;
	double factor;
};

static const struct unit seconds_units[] = {
	{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {NULL, 0}};

static const struct unit bytes_units[] = {
	{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"K", 0x1p10}, {NULL, 0}};

/* Taking values: each returns whether the row accepts the value. */

static bool take_flag(const struct opt *row, const char *value)
{
	(void)value;
	*row->to.flag = true;
	return true;
}

static bool take_str(const struct opt *row, const char *value)
{
	*row->to.str = value;
	return true;
}

static bool take_list(const struct opt *row, const char *value)
{
	struct opt_list *list = row->to.list;
	const char **v = realloc(list->v, (list->n + 1) * sizeof(*v));

	if (!v)
		die(STATUS_IO, "out of memory");
	v[list->n++] = value;
	list->v = v;
	return true;
}

static bool in_range(const struct opt *row, double v)
{
	return v >= row->min && v <= row->max;
}

static bool take_int(const struct opt *row, const char *value)
{
	int64_t v;

	if (!num_parse_int(str_of(value), &v) || !in_range(row, (double)v))
		return false;
	*row->to.num = v;
	return true;
}

/* A number and, after it, nothing or one of the units. */
static bool parse_scaled(const char *value, const struct unit *units, double *v)
{
	size_t n = num_scan_double(str_of(value), v);
	const struct unit *u = units;

	if (n == 0)
		return false;
	if (value[n] == '\0')
		return true;
	while (u->suffix && strcasecmp(u->suffix, value + n) != 0)
		u++;
	*v *= u->factor;
	return u->suffix != NULL;
}

static bool take_double(const struct opt *row, const char *value)
{
	double v;

	if (!num_parse_double(str_of(value), &v) || !in_range(row, v))
		return false;
	*row->to.dbl = v;
	return true;
}

static bool take_seconds(const struct opt *row, const char *value)
{
	double v;

	if (!parse_scaled(value, seconds_units, &v) || !in_range(row, v))
		return false;
	*row->to.dbl = v;
	return true;
}

static bool take_bytes(const struct opt *row, const char *value)
{
	double v;

	if (!parse_scaled(value, bytes_units, &v) || !in_range(row, v))
		return false;
	if (v != floor(v) || fabs(v) >= 0x1p63)
		return false;
	*row->to.num = (int64_t)v;
	return true;
}

static bool take_enum(const struct opt *row, const char *value)
{
	for (int i = 0; row->words[i]; i++) {
		if (strcmp(row->words[i], value) == 0) {
			*row->to.word = i;
			return true;
		}
	}
	return false;
}

/* noun: what an error says is accepted, the range following. */
static const struct kind {
	const char *name;
	const char *noun;
	bool (*take)(const struct opt *row, const char *value);
} kinds[] = {
	[OPT_KIND_FLAG] = {"flag", NULL, take_flag},
	[OPT_KIND_STR] = {"string", NULL, take_str},
	[OPT_KIND_LIST] = {"list", NULL, take_list},
	[OPT_KIND_INT] = {"int", "an integer", take_int},
	[OPT_KIND_DOUBLE] = {"double", "a number", take_double},
	[OPT_KIND_SECONDS] = {"seconds", "seconds", take_seconds},
	[OPT_KIND_BYTES] = {"bytes", "a size", take_bytes},
	[OPT_KIND_ENUM] = {"enum", "one of ", take_enum},
	[OPT_KIND_CALL] = {"call", NULL, NULL},
};

/* The words of an enum row, separated by ", ". */
static const char *join_words(const struct opt *row, char text[TEXT_MAX])
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; row->words[i] && n < TEXT_MAX; i++)
		n += (size_t)snprintf(text + n, TEXT_MAX - n, "%s%s",
				      i ? ", " : "", row->words[i]);
	return text;
}

/* A bound as the user would write it: 256M rather than 268435456. */
static const char *bound(const struct opt *row, double v, char text[32])
{
	const struct unit *u = bytes_units;

	if (row->kind != OPT_KIND_BYTES || v == 0)
		u = NULL;
	while (u && u->suffix && fmod(v, u->factor) != 0)
		u++;
	if (u && u->suffix)
		snprintf(text, 32, "%.15g%s", v / u->factor, u->suffix);
	else
		snprintf(text, 32, "%.15g", v);
	return text;
}

static const char *accepted(const struct opt *row, char text[TEXT_MAX])
{
	const char *noun = kinds[row->kind].noun;
	char low[32], high[32], words[TEXT_MAX];

	if (row->kind == OPT_KIND_ENUM)
		snprintf(text, TEXT_MAX, "%s%s", noun, join_words(row, words));
	else if (row->max >= 0x1p53)
		snprintf(text, TEXT_MAX, "%s from %s", noun,
			 bound(row, row->min, low));
	else
		snprintf(text, TEXT_MAX, "%s from %s to %s", noun,
			 bound(row, row->min, low), bound(row, row->max, high));
	return text;
}

static void store(const struct opt *row, const char *value)
{
	const char *wanted = NULL;
	char text[TEXT_MAX];

	if (row->kind == OPT_KIND_CALL)
		wanted = row->to.take(value);
	else if (!kinds[row->kind].take(row, value))
		wanted = accepted(row, text);
	if (wanted)
		die_usage("--%s=%s: expected %s", row->name, value ? value : "",
			  wanted);
}

/* Help and version. */

/* Print the words of text, standing at column; further lines are indented. */
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
	char text[TEXT_MAX], words[TEXT_MAX];
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
			 join_words(row, words));
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

/* For tests and completions: letter, name, argument, kind (with '?' where the
 * value may be left out), words, group and help, separated by tabs, "-" where
 * there is none. */
static noreturn void dump_options(void)
{
	const char *group = "-";
	char words[TEXT_MAX];

	for (const struct opt *o = current->options; o->kind; o++) {
		if (o->kind == OPT_KIND_GROUP) {
			group = o->help;
			continue;
		}
		printf("%c\t%s\t%s\t%s%s\t%s\t%s\t%s\n",
		       o->letter ? o->letter : '-', o->name,
		       o->arg ? o->arg : "-", kinds[o->kind].name,
		       o->absent ? "?" : "",
		       o->words ? join_words(o, words) : "-", group, o->help);
	}
	exit(finish());
}

/* Reading argv. */

struct getopt_tables {
	char shorts[2 * ROWS_MAX + 3];
	struct option longs[ROWS_MAX + 1];
};

/* getopt's tables of the rows. The leading ':' makes a missing value ':'
 * rather than '?'; '+' stops at the first operand. */
static void build_tables(struct getopt_tables *t)
{
	const struct opt *rows = current->options;
	char *s = t->shorts;
	struct option *l = t->longs;

	if (current->prefix)
		*s++ = '+';
	*s++ = ':';
	for (int i = 0; rows[i].kind && i < ROWS_MAX; i++) {
		if (rows[i].kind == OPT_KIND_GROUP)
			continue;
		l->name = rows[i].name;
		l->has_arg = rows[i].absent ? optional_argument
			     : rows[i].arg  ? required_argument
					    : no_argument;
		l++->val = LONG_VALUE + i;
		if (rows[i].letter)
			*s++ = (char)rows[i].letter;
		if (rows[i].letter && rows[i].arg)
			*s++ = ':';
	}
}

/* The row of what getopt_long returned; NULL for a letter in no row. */
static const struct opt *find_row(int c)
{
	if (c >= LONG_VALUE)
		return &current->options[c - LONG_VALUE];
	for (const struct opt *o = current->options; o->kind; o++)
		if (o->letter == c && c != 0)
			return o;
	return NULL;
}

/* An unknown or ambiguous --word: name it, and what it may have meant. */
static noreturn void refuse_word(const char *word)
{
	size_t n = strcspn(word, "=");
	char meant[TEXT_MAX] = "";
	size_t used = 0;

	for (const struct opt *o = current->options; o->kind; o++) {
		if (o->kind == OPT_KIND_GROUP || used >= sizeof(meant) ||
		    strncmp(o->name, word + 2, n - 2) != 0)
			continue;
		used += (size_t)snprintf(meant + used, sizeof(meant) - used,
					 "%s--%s", used ? ", " : "", o->name);
	}
	if (used)
		die_usage("option %.*s is ambiguous: %s", (int)n, word, meant);
	die_usage("unknown option %.*s", (int)n, word);
}

static noreturn void refuse(int c, const char *word)
{
	const struct opt *row = find_row(optopt);

	if (c == ':')
		die_usage("--%s needs %s", row->name, row->arg);
	if (row)
		die_usage("--%s takes no value", row->name);
	if (optopt)
		die_usage("unknown option -%c", optopt);
	refuse_word(word);
}

/* Store what getopt_long just found. argv ends in NULL. */
static void store_next(const struct opt *row, char **argv)
{
	const char *next = argv[optind];

	if (optarg || !row->absent)
		store(row, optarg);
	else if (next && kinds[row->kind].take(row, next))
		optind++;
	else
		store(row, row->absent);
}

int opt_parse(const struct program *program, int argc, char **argv)
{
	struct getopt_tables tables = {0};

	current = program;
	program_begin(program->name);
	if (argc == 2 && strcmp(argv[1], "--dump-options") == 0)
		dump_options();
	build_tables(&tables);
	opterr = 0;
	for (;;) {
		int c = getopt_long(argc, argv, tables.shorts, tables.longs,
				    NULL);

		if (c == -1)
			return optind;
		if (c == '?' || c == ':')
			refuse(c, argv[optind - 1]);
		store_next(find_row(c), argv);
	}
}

void opt_need_input(int operands)
{
	if (operands > 0 || !isatty(STDIN_FILENO))
		return;
	fprintf(stderr, "Usage: %s %s\n", current->name, current->synopsis);
	die_usage("no input on the command line, and stdin is a terminal");
}
