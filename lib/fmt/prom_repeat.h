/*
 * What a sample's line repeats of the line before.
 *
 * An exposition lists the series of a family one behind the other: a bucket
 * differs from the next in le, a rank from the next in two labels of many.
 * So most bytes of a line have been read before, at the same place, and need
 * only be compared: labels at the head are taken over, and where one label
 * differs, those behind it, too.
 *
 * Only a series in plain ASCII without escapes is remembered, whose name
 * stands before the braces.
 */
#ifndef OBS_FMT_PROM_REPEAT_H
#define OBS_FMT_PROM_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "fmt/prom_label.h"

struct prom_line;

/* Where a label stands in the text of its series. */
struct prom_place {
	uint32_t name;
	uint32_t name_n;
	uint32_t value;
	uint32_t value_n;
	uint64_t hash;
};

struct prom_repeat {
	char *text; /* of the series before: NAME{LABELS} */
	size_t n;   /* 0: there is none */
	size_t cap;
	size_t name_n;
	struct prom_place *places; /* of its labels */
	size_t labels;
	size_t places_cap;
};

void prom_repeat_free(struct prom_repeat *r);

/* How many labels at the head of line are those of the series before. *n:
 * the bytes up to the last one's closing quote. */
size_t prom_repeat_head(const struct prom_repeat *r, struct str line,
			size_t *n);

/* Has the label at index i the name of the one before there, and is rest, which
 * begins behind it, what stood there? *n: its bytes up to the closing brace
 * and with it. */
bool prom_repeat_tail(const struct prom_repeat *r, size_t i,
		      const struct prom_label *label, struct str rest,
		      size_t *n);

/* The labels from..to of the series before, as they stand in the one at p,
 * where they lie shift bytes further on. */
void prom_repeat_take(const struct prom_repeat *r, size_t from, size_t to,
		      const char *p, ptrdiff_t shift,
		      struct prom_label *labels);

/* Remember the line's series, of n bytes from its name on; the first `same`,
 * and `labels`, are those of the series before. Without memory, none is
 * remembered. */
void prom_repeat_note(struct prom_repeat *r, const struct prom_line *line,
		      size_t n, size_t same, size_t labels);

#endif
