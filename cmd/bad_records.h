/*
 * The bad records of an input that is read on: the first ones are reported one
 * by one, the rest by their number. In a file of another kind every line is
 * bad.
 */
#ifndef OBS_CMD_BAD_RECORDS_H
#define OBS_CMD_BAD_RECORDS_H

#include <stdint.h>

#include "base/err.h"

/* All zeros in the beginning. */
struct bad_records {
	uint64_t n;
};

/* A record of the source is left out because of err, which gets the source. */
void bad_records_add(struct bad_records *bad, const char *source,
		     struct err *err);

/* After the last one: how many more there were. */
void bad_records_end(const struct bad_records *bad, const char *source);

/* The same, reported once it is known whether any record is good: an input
 * without one has one fault. All zeros in the beginning. */
struct held_records {
	struct err first[BAD_RECORDS_SAID];
	uint64_t n;
};

void held_records_add(struct held_records *held, const struct err *err);
void held_records_say(struct held_records *held, const char *source);

#endif
