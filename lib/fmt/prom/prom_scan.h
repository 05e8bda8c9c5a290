/*
 * A cursor over one line of an exposition, for fmt/prom/prom.c: small steps,
 * and the error if a step is not possible.
 *
 * Steps move the cursor past what they consume and never past the line's end.
 */
#ifndef OBS_FMT_PROM_PROM_SCAN_H
#define OBS_FMT_PROM_PROM_SCAN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct cursor {
	const char *p;
	const char *end;
	const char *start;
};

/* Classes of bytes, as bits. */
enum {
	NAME_FIRST = 1, /* of a metric's name */
	NAME = 2,
	LABEL_FIRST = 4,
	LABEL = 8,
	BLANK = 16,
	TEXT = 32 /* printable ASCII except '"' and '\\' */
};

extern const unsigned char scan_classes[256];

static inline bool in_class(char c, unsigned char class)
{
	return (scan_classes[(unsigned char)c] & class) != 0;
}

static inline bool at(const struct cursor *c, char wanted)
{
	return c->p < c->end && *c->p == wanted;
}

static inline bool at_class(const struct cursor *c, unsigned char class)
{
	return c->p < c->end && in_class(*c->p, class);
}

static inline bool at_word_end(const struct cursor *c)
{
	return c->p == c->end || in_class(*c->p, BLANK);
}

static inline void scan_blanks(struct cursor *c)
{
	while (at_class(c, BLANK))
		c->p++;
}

/* The line ends before CRLF, or CRCRLF from a copied CRLF. */
static inline void scan_trim_cr(struct cursor *c)
{
	while (c->end > c->p && c->end[-1] == '\r')
		c->end--;
}

/* The run of bytes of the class at the cursor. */
static inline struct str scan_run(struct cursor *c, unsigned char class)
{
	const char *first = c->p;

	while (at_class(c, class))
		c->p++;
	return str_make(first, (size_t)(c->p - first));
}

/* The end of the run of TEXT from p on. */
const char *scan_text(const char *p, const char *end);

/* Everything up to the next blank. */
struct str scan_word(struct cursor *c);

/* The text, a part of the cursor's line, must be UTF-8. */
int scan_utf8(const struct cursor *c, struct str text, struct err *err);

/* ERR_INPUT with "column N: wanted, found "TEXT"", TEXT being the text at the
 * cursor. The caller sets the line number. */
int scan_error(const struct cursor *c, struct err *err, const char *wanted);

#endif
