/*
 * What the files that take a line apart share: fmt/prom/prom.c reads a line,
 * fmt/prom/prom_series.c its name and labels, fmt/prom/prom_again.c a series once more.
 *
 * Each moves the cursor behind what it takes. Errors are ERR_INPUT with the
 * column, as scan_refuse writes them, or ERR_MEMORY.
 */
#ifndef OBS_FMT_PROM_PROM_PARTS_H
#define OBS_FMT_PROM_PROM_PARTS_H

#include "fmt/prom/prom.h"
#include "fmt/prom/prom_scan.h"

/* A quoted string, in canonical escapes; the cursor is on its opening
 * quote. */
int prom_take_quoted(struct prom_parser *p, struct cursor *c, struct str *s,
		     struct err *err);

/* The braces and what is in them, added to the line's labels; the cursor is
 * on the opening one. */
int prom_take_labels(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err);

/* A sample's name and labels, if they differ from the last of that name in the
 * values of labels only, which are plain: a quick look. */
bool prom_take_seen(struct prom_parser *p, struct cursor *c,
		    struct prom_line *line);

/* A sample's name and labels, whatever they are. Finds out whether the rest of
 * the line has escapes, too. */
int prom_take_series(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err);

/* What follows a sample's series: value, timestamp, and blanks. err may be
 * NULL. */
int prom_take_point(struct cursor *c, enum prom_unit unit,
		    struct prom_line *line, struct err *err);

#endif
