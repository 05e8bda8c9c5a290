/*
 * The cache and the page next to each dump: written unless up to date.
 */
#ifndef OBS_CMD_TIMELINE_FILES_H
#define OBS_CMD_TIMELINE_FILES_H

#include <stddef.h>

#include "serve_pages.h"
#include "timeline_write.h"

/* Is it a descriptor or a device, in /dev or /proc? */
bool is_system_file(const char *name);

/*
 * Write the files next to each of the dumps. pages has room for all of them and
 * receives those that are ready, each to be freed; returns how many. Ends the
 * program if two dumps would have the same files.
 */
size_t files_write(struct page_files *pages, char **names, size_t count,
		   const struct wanted *wanted, bool rebuild);

#endif
