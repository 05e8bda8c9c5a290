/*
 * The cache and the page beside each dump: written unless they are fresh.
 */
#ifndef OBS_CMD_TIMELINE_FILES_H
#define OBS_CMD_TIMELINE_FILES_H

#include <stddef.h>

#include "serve_pages.h"
#include "timeline_write.h"

/*
 * Write the files beside each of the dumps. pages has room for all of them and
 * gets those that are ready, each to be freed; returns how many. Ends the
 * program when two dumps would have the same files.
 */
size_t files_write(struct page_files *pages, char **names, size_t count,
		   const struct wanted *wanted, bool rebuild);

#endif
