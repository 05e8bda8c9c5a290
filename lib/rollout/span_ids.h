/*
 * The span ids of one sample, numbered.
 *
 * Ids compare like in Python: 1, 1.0 and True are equal, "1" is not. The table
 * lives in the arena it was created with.
 */
#ifndef OBS_ROLLOUT_SPAN_IDS_H
#define OBS_ROLLOUT_SPAN_IDS_H

#include <stdint.h>

#include "base/arena.h"
#include "fmt/value/value.h"

enum { SPAN_ID_NONE = -1 };

struct span_ids {
	struct arena *arena;
	struct value *ids; /* by number */
	uint64_t *hashes;
	int32_t *slots; /* number or SPAN_ID_NONE */
	uint32_t count;
	uint32_t mask; /* slots - 1 */
};

/* How many ids there is room for; grows as they are numbered. */
static inline uint32_t span_ids_room(const struct span_ids *t)
{
	return t->slots == NULL ? 0 : (t->mask + 1) / 2;
}

/* An empty table; false if out of memory. */
bool span_ids_new(struct span_ids *t, struct arena *a);

/* The number of an id, a new one if it is unknown; SPAN_ID_NONE if out of
 * memory, which the arena remembers. id is a str, int, bigint, float or bool.
 */
int32_t span_ids_number(struct span_ids *t, struct value id);

#endif
