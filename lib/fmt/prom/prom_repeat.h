/*
 * What a sample's line repeats of those before.
 *
 * An exposition lists the series of a family one behind the other: a bucket
 * differs from the next in le, a rank from the next in two labels of many, and
 * both take turns with sum and count. So most bytes of a line have been read
 * before, at the same place, and need only be compared: where the values of
 * labels differ from the last series of that name and nothing else, the
 * labels stay as they are but for those.
 *
 * Only a series in plain ASCII without escapes is remembered, whose name
 * stands before the braces and which has labels.
 */
#ifndef OBS_FMT_PROM_PROM_REPEAT_H
#define OBS_FMT_PROM_PROM_REPEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "fmt/prom/prom_label.h"

struct prom_line;

/* Which labels have other values than those of the series before. */
struct prom_change {
	size_t first;  /* index of the first */
	size_t end;    /* and behind the last */
	uint64_t hash; /* by how much the sum of the fingerprints rose */
};

/* A series as it stood in its line. */
struct prom_seen {
	char *text; /* NAME{LABELS} */
	size_t n;   /* 0: there is none */
	size_t cap;
	size_t name_n;
	struct prom_label *labels; /* in the text */
	size_t n_labels;
	size_t labels_cap;
	struct prom_change change; /* the last there was */
};

enum { PROM_SEEN = 4 /* as many names may take turns */ };

struct prom_repeat {
	struct prom_seen seen[PROM_SEEN];
	unsigned int at; /* the one that was found or noted last */
};

void prom_repeat_free(struct prom_repeat *r);

/* Does the line begin with the name of the series, and braces? */
static inline bool prom_seen_begins(const struct prom_seen *seen,
				    struct str line)
{
	return seen->n > 0 && line.n > seen->name_n &&
	       line.p[seen->name_n] == '{' &&
	       memcmp(line.p, seen->text, seen->name_n) == 0;
}

/* The last series of the name that the line begins with; NULL for none. */
struct prom_seen *prom_repeat_find(struct prom_repeat *r, struct str line);

/* Is the line's series, which has this one's name, this one but for the values
 * of labels, which are plain? Then it becomes that, else it is forgotten. */
bool prom_seen_take(struct prom_seen *seen, struct str line);

/* Where the value of the label at index i begins in the text. */
static inline size_t prom_seen_value(const struct prom_seen *seen, size_t i)
{
	return (size_t)(seen->labels[i].value.p - seen->text);
}

/* Remember the line's series, of which text is all. prom_repeat_find has found
 * none of its name. NULL: it is not remembered. */
struct prom_seen *prom_repeat_note(struct prom_repeat *r, struct str text,
				   const struct prom_line *line);

#endif
