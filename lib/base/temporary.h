/*
 * Temporary files next to their final file: their names, and how to distinguish
 * those left by a killed program from those in use.
 *
 * A program locks (flock) the file while it writes, so an unlocked one is
 * stale. A network file system may hide the locks of other hosts, so the name
 * includes a hash of the host name; another host's file, or any file if locks
 * are not supported, is stale once it is a day old.
 */
#ifndef OBS_BASE_TEMPORARY_H
#define OBS_BASE_TEMPORARY_H

/* "DIR/.NAME.obstools-HOST-XXXXXX.tmp" next to path, freed by the caller; NULL
 * if out of memory. */
char *temporary_name(const char *path);

/* Create the file, which makes the name final, and lock it. Returns a
 * descriptor, or -1 with errno set. */
int temporary_create(char *name);

/* Remove stale files from the directory of path. Failures are ignored. */
void temporary_clean(const char *path);

#endif
