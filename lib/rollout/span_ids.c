#include "rollout/span_ids.h"

#include <string.h>

#include "fmt/value/value_python.h"

bool span_ids_new(struct span_ids *t, struct arena *a, uint32_t max)
{
	uint32_t slots = 16;

	while (slots < max * (uint64_t)2)
		slots *= 2;
	t->ids = arena_alloc(a, (size_t)max * sizeof(*t->ids));
	t->hashes = arena_alloc(a, (size_t)max * sizeof(*t->hashes));
	t->slots = arena_alloc(a, (size_t)slots * sizeof(*t->slots));
	t->count = 0;
	t->mask = slots - 1;
	if (t->ids == NULL || t->hashes == NULL || t->slots == NULL)
		return false;
	memset(t->slots, 0xff, (size_t)slots * sizeof(*t->slots));
	return true;
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
	t->slots[at] = (int32_t)t->count;
	t->ids[t->count] = id;
	t->hashes[t->count] = hash;
	return (int32_t)t->count++;
}
