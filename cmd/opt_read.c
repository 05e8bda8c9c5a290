#include "opt_read.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/num.h"
#include "base/similar.h"
#include "base/str.h"

enum {
	ROWS_MAX = 96,
	LONG_VALUE = 1000, /* getopt's val of row N's long form is this + N */
};

/* Fill why and return code. */
__attribute__((format(printf, 3, 4))) static int
say(char why[OPT_WHY_MAX], int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, OPT_WHY_MAX, format, args);
	va_end(args);
	return code;
}

/* The factor for the letters after a number. */
struct unit {
	const char *suffix;
	double factor;
};

static const struct unit seconds_units[] = {
	{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {NULL, 0}};

static const struct unit bytes_units[] = {
	{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"K", 0x1p10}, {NULL, 0}};

/* Value setters: each returns whether the value is valid. A list takes any, and
 * only fails if out of memory. */

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

static bool take_name(const struct opt *row, const char *value)
{
	return *value != '\0' && take_str(row, value);
}

bool opt_list_add(struct opt_list *list, const char *value)
{
	if (!ARRAY_GROW(list->v, list->n, list->cap))
		return false;
	list->v[list->n++] = value;
	return true;
}

static bool take_list(const struct opt *row, const char *value)
{
	return opt_list_add(row->to.list, value);
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

/* A number, optionally followed by one of the units. */
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

static bool take_percent(const struct opt *row, const char *value)
{
	struct str number = str_of(value);
	double v;

	number.n -= str_ends(number, "%");
	if (!num_parse_double(number, &v) || !in_range(row, v))
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

/* A word of the row's table; NULL after the last one. */
static const char *word_at(const struct opt *row, int i)
{
	const char *at = (const char *)row->words + (size_t)i * row->row_size;

	return *(const char *const *)(const void *)at;
}

static bool take_enum(const struct opt *row, const char *value)
{
	for (int i = 0; word_at(row, i) != NULL; i++) {
		if (strcmp(word_at(row, i), value) == 0) {
			*row->to.word = i;
			return true;
		}
	}
	return false;
}

/* noun: what would be valid, followed by the range. */
static const struct opt_value_kind {
	const char *name;
	const char *noun;
	bool (*take)(const struct opt *row, const char *value);
} kinds[] = {
	[OPT_KIND_FLAG] = {"flag", NULL, take_flag},
	[OPT_KIND_STR] = {"string", NULL, take_str},
	[OPT_KIND_NAME] = {"string", "a name", take_name},
	[OPT_KIND_LIST] = {"list", NULL, take_list},
	[OPT_KIND_INT] = {"int", "an integer", take_int},
	[OPT_KIND_DOUBLE] = {"double", "a number", take_double},
	[OPT_KIND_PERCENT] = {"percent", "a percentage", take_percent},
	[OPT_KIND_SECONDS] = {"seconds", "seconds", take_seconds},
	[OPT_KIND_BYTES] = {"bytes", "a size", take_bytes},
	[OPT_KIND_ENUM] = {"enum", "one of ", take_enum},
	[OPT_KIND_CALL] = {"call", NULL, NULL},
};

const char *opt_kind_name(const struct opt *row)
{
	return kinds[row->kind].name;
}

void opt_list_free(struct opt_list *list)
{
	free(list->v);
	*list = (struct opt_list){0};
}

const char *opt_join_words(const struct opt *row, char text[OPT_TEXT_MAX])
{
	size_t n = 0;

	text[0] = '\0';
	for (int i = 0; word_at(row, i) != NULL && n < OPT_TEXT_MAX; i++)
		n += (size_t)snprintf(text + n, OPT_TEXT_MAX - n, "%s%s",
				      i ? ", " : "", word_at(row, i));
	return text;
}

/* A bound in the user's notation: 256M rather than 268435456. */
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

static const char *accepted(const struct opt *row, char text[OPT_TEXT_MAX])
{
	const char *noun = kinds[row->kind].noun;
	char low[32], high[32], words[OPT_TEXT_MAX];

	if (row->kind == OPT_KIND_ENUM)
		snprintf(text, OPT_TEXT_MAX, "%s%s", noun,
			 opt_join_words(row, words));
	else if (row->kind == OPT_KIND_NAME)
		snprintf(text, OPT_TEXT_MAX, "%s", noun);
	else if (row->max >= 0x1p53)
		snprintf(text, OPT_TEXT_MAX, "%s from %s", noun,
			 bound(row, row->min, low));
	else
		snprintf(text, OPT_TEXT_MAX, "%s from %s to %s", noun,
			 bound(row, row->min, low), bound(row, row->max, high));
	return text;
}

/* Returns 0, or opt_read's error. */
static int store(const struct opt *row, const char *value, char *why)
{
	const char *wanted = NULL;
	char text[OPT_TEXT_MAX];

	if (row->kind == OPT_KIND_CALL)
		wanted = row->to.take(value);
	else if (kinds[row->kind].take(row, value))
		return 0;
	else if (row->kind == OPT_KIND_LIST)
		return say(why, ERR_MEMORY, "out of memory");
	else
		wanted = accepted(row, text);
	if (wanted == NULL)
		return 0;
	return say(why, ERR_INPUT, "--%s=%s: expected %s", row->name,
		   value ? value : "", wanted);
}

/* Reading argv. */

struct getopt_tables {
	char shorts[2 * ROWS_MAX + 3];
	struct option longs[2 * ROWS_MAX + 1];
};

static int arguments_of(const struct opt *row)
{
	if (row->absent)
		return optional_argument;
	return row->arg ? required_argument : no_argument;
}

/* getopt's tables of the rows. The leading ':' makes a missing value ':'
 * rather than '?'; '+' stops at the first operand. */
static void build_tables(struct getopt_tables *t, const struct opt *rows,
			 bool prefix)
{
	char *s = t->shorts;
	struct option *l = t->longs;

	if (prefix)
		*s++ = '+';
	*s++ = ':';
	for (int i = 0; i < ROWS_MAX && rows[i].kind; i++) {
		if (rows[i].kind == OPT_KIND_GROUP)
			continue;
		*l++ = (struct option){rows[i].name, arguments_of(&rows[i]),
				       NULL, LONG_VALUE + i};
		if (rows[i].also)
			*l++ = (struct option){rows[i].also,
					       arguments_of(&rows[i]), NULL,
					       LONG_VALUE + i};
		if (rows[i].letter)
			*s++ = (char)rows[i].letter;
		if (rows[i].letter && rows[i].arg)
			*s++ = ':';
	}
}

/* The row for getopt_long's result; for a letter in no row the last one, which
 * has no kind. */
static const struct opt *find_row(const struct opt *rows, int c)
{
	const struct opt *row = rows;

	if (c >= LONG_VALUE)
		return &rows[c - LONG_VALUE];
	while (row->kind && (row->letter != c || c == 0))
		row++;
	return row;
}

/* The option whose name is nearest to the word; NULL if none is near. */
static const struct opt *nearest_row(const struct opt *rows, struct str word)
{
	const struct opt *best = NULL;
	size_t least = word.n / 3 + 1;

	for (const struct opt *o = rows; o->kind; o++) {
		size_t d = o->kind == OPT_KIND_GROUP
				   ? SIZE_MAX
				   : similar_distance(word, str_of(o->name));

		if (d <= least && d < word.n) {
			least = d - (d > 0);
			best = o;
		}
	}
	return best;
}

/* An unknown or ambiguous --word: name it, and suggest similar ones. */
static int word_error(const struct opt *rows, const char *word, char *why)
{
	int n = (int)strcspn(word, "=");
	char meant[OPT_TEXT_MAX] = "";
	const struct opt *near;
	size_t used = 0;

	for (const struct opt *o = rows; o->kind; o++) {
		if (o->kind == OPT_KIND_GROUP || used >= sizeof(meant) ||
		    strncmp(o->name, word + 2, (size_t)n - 2) != 0)
			continue;
		used += (size_t)snprintf(meant + used, sizeof(meant) - used,
					 "%s--%s", used ? ", " : "", o->name);
	}
	if (used)
		return say(why, ERR_INPUT, "option %.*s is ambiguous: %s", n,
			   word, meant);
	near = nearest_row(rows, (struct str){word + 2, (size_t)n - 2});
	if (near)
		return say(why, ERR_INPUT,
			   "unknown option %.*s; did you mean --%s?", n, word,
			   near->name);
	return say(why, ERR_INPUT, "unknown option %.*s", n, word);
}

/* The error for getopt_long's ':' or '?'. */
static int option_error(const struct opt *rows, int c, const char *word,
			char *why)
{
	const struct opt *row = find_row(rows, optopt);

	if (row->kind && c == ':')
		return say(why, ERR_INPUT, "--%s needs %s", row->name,
			   row->arg);
	if (row->kind)
		return say(why, ERR_INPUT, "--%s takes no value", row->name);
	if (optopt)
		return say(why, ERR_INPUT, "unknown option -%c", optopt);
	return word_error(rows, word, why);
}

/* Store what getopt_long just found. argv ends in NULL. */
static int store_next(const struct opt *row, char **argv, char *why)
{
	const char *next = argv[optind];

	if (optarg || !row->absent)
		return store(row, optarg, why);
	if (next == NULL || kinds[row->kind].take == NULL ||
	    !kinds[row->kind].take(row, next))
		return store(row, row->absent, why);
	optind++;
	return 0;
}

int opt_read(const struct opt *rows, bool prefix, int argc, char **argv,
	     char why[OPT_WHY_MAX])
{
	struct getopt_tables tables = {0};
	int rc = 0;

	build_tables(&tables, rows, prefix);
	opterr = 0;
	while (rc == 0) {
		const struct opt *row;
		int c = getopt_long(argc, argv, tables.shorts, tables.longs,
				    NULL);

		if (c == -1)
			return optind;
		row = find_row(rows, c);
		rc = row->kind ? store_next(row, argv, why)
			       : option_error(rows, c, argv[optind - 1], why);
	}
	return rc;
}
