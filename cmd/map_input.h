/*
 * A large input in memory as a whole.
 */
#ifndef OBS_CMD_MAP_INPUT_H
#define OBS_CMD_MAP_INPUT_H

#include "base/str.h"

/* The file as base/mapped.h has it. One that is cut while it is read ends the
 * program with STATUS_IO from now on. */
struct str map_input(int fd);

#endif
