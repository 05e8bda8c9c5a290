/*
 * Reading argv by a table of options.h: nothing is printed and nothing ends,
 * unless a row's callback does.
 */
#ifndef OBS_CMD_OPT_READ_H
#define OBS_CMD_OPT_READ_H

#include "options.h"

/* A message, and a list of words, are cut at these. */
enum { OPT_WHY_MAX = 2048, OPT_TEXT_MAX = 512 };

/*
 * Read argv, whose end is NULL, by rows, and store the values that are met
 * before the first that is refused. Returns the index of the first operand:
 * operands were moved behind the options, unless these end at the first
 * (prefix). Else ERR_INPUT or ERR_MEMORY, and one line without its end says
 * why. Goes by getopt_long, whose optind is 1 before, or 0 to begin anew.
 */
int opt_read(const struct opt *rows, bool prefix, int argc, char **argv,
	     char why[OPT_WHY_MAX]);

/* Returns false if out of memory. */
bool opt_list_add(struct opt_list *list, const char *value);
/* Programs keep theirs for as long as they run. */
void opt_list_free(struct opt_list *list);

/* "enum"; and its words, separated by ", ", in text. */
const char *opt_kind_name(const struct opt *row);
const char *opt_join_words(const struct opt *row, char text[OPT_TEXT_MAX]);

#endif
