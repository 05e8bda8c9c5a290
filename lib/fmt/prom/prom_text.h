/*
 * The text of an exposition: escapes, label sets and numbers, in the one
 * spelling that obstools writes (format 0.0.4, see fmt/prom/prom.h).
 *
 * A label set is written without braces as NAME="VALUE",NAME="VALUE", and
 * stored like that in memory: prom_labels_read parses such text.
 */
#ifndef OBS_FMT_PROM_PROM_TEXT_H
#define OBS_FMT_PROM_PROM_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"
#include "fmt/prom/prom.h"

/* "counter" and so on; "untyped" for PROM_UNTYPED. */
const char *prom_type_word(enum prom_type type);

/* The type for that word; false if there is none. */
bool prom_type_read(struct str word, enum prom_type *type);

/* Is s a metric name (colons allowed) or label name that needs no quotes? */
bool prom_plain_name(struct str s);
bool prom_plain_label(struct str s);

/* The byte after the first backslash inside a quoted string that is not an
 * escape; 0: none. */
char prom_odd_escape(struct str raw);

/*
 * raw, the inside of a quoted string or a HELP text, in canonical escapes: raw
 * itself if it already is, else a copy in the arena. An invalid escape is kept
 * with its backslash. p is NULL if out of memory.
 */
struct str prom_canonical(struct arena *a, struct str raw, bool help);

/* Escape plain bytes; undo canonical escapes. */
void prom_escape(struct buf *b, struct str plain);
void prom_unescape(struct buf *b, struct str canonical);

/* Room for the longest number. */
enum { PROM_NUMBER_MAX = 48 };

/* A sample's value: fewest digits, NaN, +Inf, -Inf, and 0 for -0. */
size_t prom_put_value(char out[PROM_NUMBER_MAX], double v);

/* A timestamp in milliseconds, not NaN. */
size_t prom_put_time(char out[PROM_NUMBER_MAX], long double time);

/* Parse a decimal number, an infinity or NaN, these in any case, like Go's
 * ParseFloat except for hexadecimal. */
bool prom_number(struct str text, double *value);

/* The number in a le or quantile label; false if it is not one. */
bool prom_bound(struct str text, double *bound);

/* NAME="VALUE" with the name quoted if needed; returns the bytes written at
 * out, which has room for prom_label_room. */
size_t prom_put_label(char *out, const struct prom_label *label);

static inline size_t prom_label_room(const struct prom_label *label)
{
	return label->name.n + label->value.n + 5;
}

/* Remove the first label of a non-empty set in obstools' format; returns the
 * rest of the set. */
struct str prom_label_next(struct str text, struct prom_label *label);

/*
 * Parse a label set in obstools' format into *labels, which has room for max;
 * slices point into text. Returns how many, or max + 1 if there are more.
 */
size_t prom_labels_read(struct str text, struct prom_label *labels, size_t max);

/* NAME, and {LABELS} unless empty, as a sample line begins. */
void prom_put_series(struct out *out, struct str name, struct str labels);

/* "# HELP NAME TEXT" and "# TYPE NAME WORD", the first omitted if there is no
 * text. */
void prom_put_family(struct out *out, struct str name, struct str help,
		     enum prom_type type, bool typed);

/* One complete sample line; faster if its name is known to be plain. */
void prom_put_sample(struct out *out, struct str name, struct str labels,
		     double value, long double time);
void prom_put_plain(struct out *out, struct str name, struct str labels,
		    double value, long double time);

#endif
