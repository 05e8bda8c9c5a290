/*
 * Parsing argv by a table of options.h: neither prints nor exits, unless a
 * row's callback does.
 */
#ifndef OBS_CMD_OPT_READ_H
#define OBS_CMD_OPT_READ_H

#include "options.h"

/* A message and a list of words are truncated at these sizes. */
enum { OPT_WHY_MAX = 2048, OPT_TEXT_MAX = 512 };

/*
 * Parse argv, NULL-terminated, by rows, and store the values up to the first
 * invalid one. Returns the index of the first operand: operands were moved
 * after the options, unless options end at the first operand (prefix). Else
 * ERR_INPUT or ERR_MEMORY, with the reason as one line without newline. Uses
 * getopt_long; optind must be 1, or 0 to restart.
 */
int opt_read(const struct opt *rows, bool prefix, int argc, char **argv,
	     char why[OPT_WHY_MAX]);

/* Returns false if out of memory. */
bool opt_list_add(struct opt_list *list, const char *value);
/* Programs keep their lists until they exit. */
void opt_list_free(struct opt_list *list);

/* "enum", and its words in text, separated by ", ". */
const char *opt_kind_name(const struct opt *row);
const char *opt_join_words(const struct opt *row, char text[OPT_TEXT_MAX]);

#endif
