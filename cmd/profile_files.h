/*
 * The traces given to profile-summary: files, and those in directories.
 */
#ifndef OBS_CMD_PROFILE_FILES_H
#define OBS_CMD_PROFILE_FILES_H

#include "common.h"

/* Owns the paths; zero-initialised, it is empty. */
struct profile_files {
	char **v;
	size_t n, cap;
};

/* Add the operands; for a directory its *.json and *.json.gz except merged-*,
 * sorted. No operand is standard input. A directory that cannot be read, or has
 * no trace, is reported, and *worst raised. */
void profile_files_find(struct profile_files *files, int count, char **names,
			enum status *worst);
void profile_files_free(struct profile_files *files);

#endif
