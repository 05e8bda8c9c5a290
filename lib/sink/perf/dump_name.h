/*
 * The order of dumps by their names.
 */
#ifndef OBS_SINK_PERF_DUMP_NAME_H
#define OBS_SINK_PERF_DUMP_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* The last digits of a file's name: 42 of "rollout_42.pt". */
bool dump_number(const char *path, int64_t *number);

/* Compare by characters, runs of digits by value. */
int dump_name_compare(const char *a, const char *b);

#endif
