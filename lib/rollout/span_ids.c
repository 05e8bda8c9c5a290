#include "rollout/span_ids.h"

#include <string.h>

#include "fmt/value/value_python.h"

enum { SLOTS_AT_FIRST = 16 };

static void place_again(struct span_ids *t)
{
	memset(t->slots, 0xff, ((size_t)t->mask + 1) * sizeof(*t->slots));
	for (uint32_t number = 0; number < t->count; number++) {
		uint32_t at = (uint32_t)t->hashes[number] & t->mask;

		while (t->slots[at] != SPAN_ID_NONE)
			at = (at + 1) & t->mask;
		t->slots[at] = (int32_t)number;
	}
}

static bool widen(struct span_ids *t)
{
	size_t had = span_ids_room(t);
	size_t slots = had == 0 ? SLOTS_AT_FIRST : had * 4;
	size_t n = slots / 2;
	struct value *ids = arena_widen(t->arena, t->ids, had * sizeof(*ids),
					n * sizeof(*ids));
	uint64_t *hashes;
	int32_t *places;

	if (ids == NULL)
		return false;
	t->ids = ids;
	hashes = arena_widen(t->arena, t->hashes, had * sizeof(*hashes),
			     n * sizeof(*hashes));
	if (hashes == NULL)
		return false;
	t->hashes = hashes;
	places = arena_widen(t->arena, t->slots, had * 2 * sizeof(*places),
			     slots * sizeof(*places));
	if (places == NULL)
		return false;
	t->slots = places;
	t->mask = (uint32_t)slots - 1;
	place_again(t);
	return true;
}

bool span_ids_new(struct span_ids *t, struct arena *a)
{
	*t = (struct span_ids){.arena = a};
	return widen(t);
}

static bool same_id(struct value a, struct value b)
{
	double x, y;

	if (a.kind == VALUE_INT && b.kind == VALUE_INT)
		return a.i == b.i;
	if (value_number(a, &x) && value_number(b, &y))
		return x == y;
	return a.kind == b.kind && !value_number(a, &x) &&
	       str_eq(value_text(a), value_text(b));
}

/* Eight bytes per step; ids are usually 32 hexadecimal digits. */
static uint64_t hash_bytes(const char *p, size_t n)
{
	uint64_t hash = n * 0x9e3779b97f4a7c15u;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	word = 0;
	if (n > 0)
		memcpy(&word, p, n);
	hash = (hash ^ word) * 0xc4ceb9fe1a85ec53u;
	return hash ^ hash >> 29;
}

static uint64_t hash_id(struct value id)
{
	double d;

	if (!value_number(id, &d))
		return hash_bytes(id.p, id.n);
	d += 0.0; /* -0.0 is 0.0 */
	return hash_bytes((const char *)&d, sizeof(d));
}

int32_t span_ids_number(struct span_ids *t, struct value id)
{
	uint64_t hash = hash_id(id);
	uint32_t at = (uint32_t)hash & t->mask;

	for (; t->slots[at] != SPAN_ID_NONE; at = (at + 1) & t->mask) {
		int32_t number = t->slots[at];

		if (t->hashes[number] == hash && same_id(t->ids[number], id))
			return number;
	}
	if (t->count == span_ids_room(t)) {
		if (!widen(t))
			return SPAN_ID_NONE;
		at = (uint32_t)hash & t->mask;
		while (t->slots[at] != SPAN_ID_NONE)
			at = (at + 1) & t->mask;
	}
	t->slots[at] = (int32_t)t->count;
	t->ids[t->count] = id;
	t->hashes[t->count] = hash;
	return (int32_t)t->count++;
}
