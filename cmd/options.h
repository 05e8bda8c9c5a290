/*
 * The rows of a program's option table, the source of getopt_long's table,
 * --help, error phrases and the tests of the man page.
 *
 * A program has one static table of rows made by the macros below, closed by
 * OPT_COMMON. Rows store into static variables of the program, initialised with
 * the defaults; text stays owned by argv. common.h parses the table.
 */
#ifndef OBS_CMD_OPTIONS_H
#define OBS_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_GROUP, /* help is the heading of the following rows */
	OPT_KIND_FLAG,
	OPT_KIND_STR,
	OPT_KIND_NAME, /* a file or directory: never empty */
	OPT_KIND_LIST,
	OPT_KIND_INT,
	OPT_KIND_DOUBLE,
	OPT_KIND_PERCENT,
	OPT_KIND_SECONDS,
	OPT_KIND_BYTES,
	OPT_KIND_ENUM,
	OPT_KIND_CALL,
};

/* The values of a repeatable option, in order; v grows, see opt_list_free. */
struct opt_list {
	const char **v;
	size_t n, cap;
};

/* Set a value (NULL if the row has no arg). Returns NULL, or, if the value is
 * invalid, what would be valid: "NAME=VALUE". */
typedef const char *opt_take(const char *value);

struct opt {
	int letter;	  /* 0: only a long form */
	const char *name; /* without the dashes */
	const char *also; /* a second long name, or NULL */
	enum opt_kind kind;
	const char *arg; /* placeholder in --help; NULL: no value */
	union {
		bool *flag;
		const char **str;
		struct opt_list *list;
		int64_t *num;
		double *dbl;
		int *word; /* index into words */
		opt_take *take;
	} to;
	const char *help;
	double min;
	double max;
	const void *words;  /* for OPT_KIND_ENUM: a table, see OPT_ENUM */
	size_t row_size;    /* of that table */
	const char *absent; /* default for an omitted value; a next word that is
			     * valid is taken as the value, but for
			     * OPT_KIND_CALL only after = */
};

/* For OPT_COMMON: print to stdout and end the program. */
opt_take opt_help;
opt_take opt_version;

/* clang-format off */
#define OPT_GROUP(heading) {.kind = OPT_KIND_GROUP, .help = heading}
#define OPT_ROW(c, n, k, a, h, ...) \
	{.letter = c, .name = n, .kind = k, .arg = a, .help = h, __VA_ARGS__}
#define OPT_FLAG(c, name, p, help) \
	OPT_ROW(c, name, OPT_KIND_FLAG, NULL, help, .to.flag = p)
#define OPT_STR(c, name, arg, p, help) \
	OPT_ROW(c, name, OPT_KIND_STR, arg, help, .to.str = p)
#define OPT_NAME(c, name, arg, p, help) \
	OPT_ROW(c, name, OPT_KIND_NAME, arg, help, .to.str = p)
#define OPT_LIST(c, name, arg, p, help) \
	OPT_ROW(c, name, OPT_KIND_LIST, arg, help, .to.list = p)
#define OPT_CALL(c, name, arg, f, help) \
	OPT_ROW(c, name, OPT_KIND_CALL, arg, help, .to.take = f)
/* A list of words, or a table whose rows begin with one; ends with NULL. Sets
 * both members: rows of size 0 would be an endless loop. */
#define OPT_WORDS(list) .words = list, .row_size = sizeof(*(list))
/* One of list, which is appended to the help. */
#define OPT_ENUM(c, name, arg, p, list, help) \
	OPT_ROW(c, name, OPT_KIND_ENUM, arg, help, .to.word = p, \
		OPT_WORDS(list))
/* Numbers from lo to hi; percents also as 5%; seconds also as 500ms, 30s, 5m,
 * 1h; bytes also with K, M, G or T, powers of 1024. */
#define OPT_NUM(c, n, k, a, lo, hi, h, into) \
	OPT_ROW(c, n, k, a, h, into, .min = lo, .max = hi)
#define OPT_INT(c, name, arg, p, lo, hi, help) \
	OPT_NUM(c, name, OPT_KIND_INT, arg, lo, hi, help, .to.num = p)
#define OPT_DOUBLE(c, name, arg, p, lo, hi, help) \
	OPT_NUM(c, name, OPT_KIND_DOUBLE, arg, lo, hi, help, .to.dbl = p)
#define OPT_PERCENT(name, p, help) \
	OPT_NUM(0, name, OPT_KIND_PERCENT, "PERCENT", 0, 1e6, help, \
		.to.dbl = p)
#define OPT_SECONDS(c, name, arg, p, lo, hi, help) \
	OPT_NUM(c, name, OPT_KIND_SECONDS, arg, lo, hi, help, .to.dbl = p)
#define OPT_BYTES(c, name, arg, p, lo, hi, help) \
	OPT_NUM(c, name, OPT_KIND_BYTES, arg, lo, hi, help, .to.num = p)

/* Rows shared by all programs. */
#define OPT_OUTPUT(p) \
	OPT_NAME('o', "output", "FILE", p, \
		"write to FILE, atomically")
/* preset: the default, for --help. */
#define OPT_FORMAT(p, words, preset) \
	OPT_ENUM('f', "format", "FORMAT", p, words, \
		"output format (default" preset ")")
#define OPT_TIMEOUT(p, preset) \
	OPT_SECONDS('t', "timeout", "SECONDS", p, 0.001, 86400, \
		"time out each request after SECONDS (default" preset ")")
#define OPT_CONCURRENCY(p, preset) \
	OPT_INT('j', "concurrency", "N", p, 1, 4096, \
		"send up to N requests at a time (default" preset ")")
/* Both names, in every program that takes a router. */
#define OPT_ROUTER(p, n, second, help) \
	OPT_ROW(0, n, OPT_KIND_LIST, "URL", help, .also = second, .to.list = p)
#define OPT_LABEL(p) \
	OPT_LIST('l', "label", "NAME=VALUE", p, \
		"add a label to all series; may be repeated")
/* The last rows of every table; the first two are declared in common.h. */
#define OPT_COMMON \
	OPT_GROUP("Other"), \
	OPT_FLAG('q', "quiet", &quiet, "print only errors"), \
	OPT_FLAG('v', "verbose", &verbose, "print progress details"), \
	OPT_CALL('h', "help", NULL, opt_help, "print this help"), \
	OPT_CALL('V', "version", NULL, opt_version, \
		 "print program and library versions"), \
	{.kind = OPT_KIND_END}
/* clang-format on */

#endif
