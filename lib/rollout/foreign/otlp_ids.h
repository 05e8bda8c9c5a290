/*
 * The ids of an OTLP file as numbers, counted from 0 in order of first
 * appearance; private to otlp*.c.
 *
 * Nearly all are so many hex digits, in either case: the table has them as two
 * words, not as texts. Open addressing, at most half full.
 */
#ifndef OBS_ROLLOUT_FOREIGN_OTLP_IDS_H
#define OBS_ROLLOUT_FOREIGN_OTLP_IDS_H

#include "base/buf.h"
#include "base/intern.h"
#include "fmt/value/value.h"

struct otlp_id {
	uint64_t high, low; /* hex digits; of another id, low is its text */
	uint32_t within;    /* number of its trace, and a bit for another id */
	int32_t place;	    /* of its span, or -1 */
};

struct otlp_ids {
	size_t digits;	     /* of an id: 16 or 32 */
	struct intern texts; /* other ids, in lower case */
	struct buf key;
	struct otlp_id *v; /* by number */
	size_t n, v_cap;
	struct intern_slot *slots;
	size_t cap; /* slots, a power of two */
};

struct otlp_ids otlp_ids_new(size_t digits);
void otlp_ids_free(struct otlp_ids *ids);

/* The number of an id, which is added if it is new; INTERN_FAILED if out of
 * memory. `last` is compared first: a guess, or INTERN_FAILED for none. */
uint32_t otlp_ids_add(struct otlp_ids *ids, struct str text, uint32_t within,
		      uint32_t last);
int otlp_ids_error(const struct otlp_ids *ids, struct err *err);

/* Prefetch the slot of an id to be added, as a large table is not in the cache.
 * Returns the number that it probably gets: last if it is that, else a new one.
 */
uint32_t otlp_ids_expect(const struct otlp_ids *ids, struct str text,
			 uint32_t within, uint32_t last);

/* The id, in lower case; VALUE_ABSENT: no memory. */
struct value otlp_ids_text(const struct otlp_ids *ids, uint32_t number,
			   struct arena *arena);

#endif
