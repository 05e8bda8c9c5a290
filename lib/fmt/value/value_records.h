/*
 * Memory of its own for the members of records (fmt/value/value_filter.h), so
 * that it can be given back as soon as they were read, long before the sample
 * that has them.
 */
#ifndef OBS_FMT_VALUE_VALUE_RECORDS_H
#define OBS_FMT_VALUE_VALUE_RECORDS_H

#include "fmt/value/value.h"

struct value_record; /* in front of the members */

struct value_records {
	struct arena arena;
	struct value_record *first, *last; /* not given back yet */
};

/* Give an empty dict room for n values, twice its pairs. False if out of
 * memory. */
bool value_records_make(struct value_records *records,
			struct value_items *items, uint32_t n);

/* Give back the memory: records are empty dicts from now on, but for those that
 * were added to. */
void value_records_release(struct value_records *records);

/* The same when the dicts are gone, too; the memory is kept for others. */
void value_records_reset(struct value_records *records);

/* A record was read for the last time. If all are passed in the order they were
 * made, memory is given back on the way; one that is not the next stays. */
void value_records_pass(struct value_records *records,
			const struct value_items *items);

#endif
