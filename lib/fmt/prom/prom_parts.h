/*
 * Shared by the files that parse a line: fmt/prom/prom.c, and
 * fmt/prom/prom_series.c for its name and labels.
 *
 * Each moves the cursor past what it consumes. Errors are ERR_INPUT with the
 * column, from scan_error, or ERR_MEMORY.
 */
#ifndef OBS_FMT_PROM_PROM_PARTS_H
#define OBS_FMT_PROM_PROM_PARTS_H

#include "fmt/prom/prom.h"
#include "fmt/prom/prom_scan.h"

/* A quoted string, in canonical escapes; the cursor is at its opening quote. */
int prom_take_quoted(struct prom_parser *p, struct cursor *c, struct str *s,
		     struct err *err);

/* The braces and their content, added to the line's labels; the cursor is at
 * the opening one. */
int prom_take_labels(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err);

/* A sample's name and labels. */
int prom_take_series(struct prom_parser *p, struct cursor *c,
		     struct prom_line *line, struct err *err);

#endif
