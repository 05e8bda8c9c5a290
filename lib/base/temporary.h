/*
 * Temporary files next to the file that they become: their names, and how to
 * tell those of a killed program from those in use.
 *
 * A program holds a lock (flock) on the file while it writes, so that one
 * without a lock is left over. A network file system may hide the locks of
 * other hosts: the name holds a hash of the host's, and another host's file is
 * left over once it is a day old, and so is any where there are no locks.
 */
#ifndef OBS_BASE_TEMPORARY_H
#define OBS_BASE_TEMPORARY_H

/* "DIR/.NAME.obstools-HOST-XXXXXX.tmp" next to path, for the caller to free;
 * NULL: no memory. */
char *temporary_name(const char *path);

/* Create the file, which makes the name final, and lock it. Returns a
 * descriptor, or -1 with errno set. */
int temporary_create(char *name);

/* Remove what is left over in the directory of path. Failures are ignored. */
void temporary_clean(const char *path);

#endif
