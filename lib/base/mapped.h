/*
 * A large file as memory, so that what is kept of it need not be copied.
 *
 * Its bytes are those of the file: another program's writing shows in them, and
 * a file that is cut, or whose disk fails, ends the program by SIGBUS, which a
 * program that maps files handles.
 */
#ifndef OBS_BASE_MAPPED_H
#define OBS_BASE_MAPPED_H

#include "base/str.h"

/* All of a regular file, of which nothing was read yet, until the program ends.
 * p is NULL if it is not one, is too small to be worth it, or the system
 * refuses: then it is read. */
struct str mapped_file(int fd);

/* These bytes of a mapped file are hardly needed any more: their memory is given
 * back. Later reads fetch them again. */
void mapped_leave(const char *p, const char *end);

#endif
