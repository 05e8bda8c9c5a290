/*
 * What the files that take a line apart share: fmt/prom/prom.c reads a line,
 * fmt/prom/prom_series.c its name and labels.
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

/* A sample's name and labels. */
int prom_take_series(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err);

#endif
