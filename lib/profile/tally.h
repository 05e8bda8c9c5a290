/* Counts and times, of one thing or by name. */
#ifndef OBS_PROFILE_TALLY_H
#define OBS_PROFILE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"

struct tally {
	uint64_t count;
	int64_t time, max;
};

/* A tally of something named. */
struct named_tally {
	uint32_t name; /* in trace.names, trace.streams or names.shorts */
	struct tally of;
	int64_t self; /* of operators and Python functions */
};

struct named_tallies {
	struct named_tally *v;
	size_t n, cap;
};

/* Add to the tally of a name. where has one element per name, initially zero:
 * the name's index in list, plus one. */
int tally_add(struct named_tallies *list, uint32_t *where, uint32_t name,
	      int64_t time, struct err *err);

/* Sort by time, or self time, and name, and clear the indices. */
void tally_sort(struct named_tallies *list, uint32_t *where,
		const struct intern *names, bool by_self);

static inline void tally_count(struct tally *t, int64_t time)
{
	t->count++;
	t->time += time;
	t->max = time > t->max ? time : t->max;
}

#endif
