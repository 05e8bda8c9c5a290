/*
 * Slices: a pointer and a length, borrowed from a buffer that outlives them.
 * A slice need not end in NUL and may hold any byte.
 */
#ifndef OBS_BASE_STR_H
#define OBS_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

/* A slice of a string literal, usable in constant tables. */
#define STR(literal)                                                           \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}
#define STR_ARG(s) (int)(s).n, (s).p /* for printf's %.*s */

static inline struct str str_of(const char *text)
{
	return (struct str){text, strlen(text)};
}

static inline struct str str_make(const char *p, size_t n)
{
	return (struct str){p, n};
}

static inline bool str_eq(struct str a, struct str b)
{
	/* Most mismatches show in the first byte. */
	return a.n == b.n &&
	       (a.n == 0 || (a.p[0] == b.p[0] && memcmp(a.p, b.p, a.n) == 0));
}

static inline bool str_is(struct str a, const char *text)
{
	return str_eq(a, str_of(text));
}

/* What follows the first n bytes of s, which has them. */
static inline struct str str_skip(struct str s, size_t n)
{
	return str_make(s.p + n, s.n - n);
}

bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);

/* The same, and if so, remove the prefix or the suffix. */
bool str_skip_prefix(struct str *s, const char *prefix);
bool str_drop_suffix(struct str *s, const char *suffix);

/* Without the byte order mark of UTF-8 that some editors put first. */
struct str str_skip_bom(struct str s);

/* Order by bytes, which in UTF-8 is the order of code points. */
int str_cmp(struct str a, struct str b);

/* The same, ignoring the case of ASCII letters. */
bool str_eq_nocase(struct str a, struct str b);

static inline bool str_is_nocase(struct str a, const char *text)
{
	return str_eq_nocase(a, str_of(text));
}

/* Does s hold word, ignoring the case of ASCII letters? word: lower case. */
bool str_has_nocase(struct str s, const char *word);

/* The last part of a path, which may be empty; borrowed. */
const char *file_name(const char *path);

/* How many bytes the directories take that two paths begin with; both go on
 * after them. */
size_t common_directories(const char *a, const char *b);

static inline bool str_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The slow path of str_trim. */
struct str str_trim_blanks(struct str s);

/* Strip blanks (space, tab, CR, LF, VT, FF) from both ends. */
static inline struct str str_trim(struct str s)
{
	return s.n > 0 && (str_is_blank(s.p[0]) || str_is_blank(s.p[s.n - 1]))
		       ? str_trim_blanks(s)
		       : s;
}

/* The part before the first mark, or all; *rest is set to what follows. */
struct str str_cut(struct str *rest, char mark);

static inline struct str str_before(struct str s, char mark)
{
	return str_cut(&s, mark);
}

/* The part before the first comma of *list, which is advanced past it. */
struct str str_part(const char **list);

/* English plural ending: "" for one, else "s". */
static inline const char *str_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
