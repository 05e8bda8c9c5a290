#include "base/intern.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/pages.h"

struct intern intern_limited(size_t max, const char *limit)
{
	return (struct intern){.text = arena_limited(max, limit)};
}

void intern_free(struct intern *t)
{
	arena_free(&t->text);
	free(t->entries);
	free(t->slots);
	*t = (struct intern){.text = t->text};
}

static uint32_t hash(struct str s)
{
	uint64_t h = hash_bytes(s.p, s.n, 0);

	return (uint32_t)(h ^ h >> 32);
}

/* The slot that holds s, or the free one where it belongs. */
static struct intern_slot *find(const struct intern *t, struct str s,
				uint32_t hash)
{
	uint32_t at = hash & (t->cap - 1);

	while (t->slots[at].entry != 0 &&
	       (t->slots[at].hash != hash ||
		!str_eq(t->entries[t->slots[at].entry - 1], s)))
		at = (at + 1) & (t->cap - 1);
	return &t->slots[at];
}

/* Insert the slots of a smaller table whose texts are all distinct. */
static void move_slots(struct intern_slot *slots, uint32_t cap,
		       const struct intern *smaller)
{
	for (uint32_t i = 0; i < smaller->cap; i++) {
		uint32_t at = smaller->slots[i].hash & (cap - 1);

		if (smaller->slots[i].entry == 0)
			continue;
		while (slots[at].entry != 0)
			at = (at + 1) & (cap - 1);
		slots[at] = smaller->slots[i];
	}
}

static bool grow(struct intern *t)
{
	uint32_t cap = t->cap == 0 ? 64 : t->cap * 2;
	struct str *entries =
		cap == 0 ? NULL
			 : realloc(t->entries, cap / 2 * sizeof(*entries));
	struct intern_slot *slots;

	if (entries == NULL)
		return false;
	t->entries = entries;
	slots = pages_alloc(cap * sizeof(*slots));
	if (slots == NULL)
		return false;
	memset(slots, 0, cap * sizeof(*slots));
	move_slots(slots, cap, t);
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	return true;
}

uint32_t intern_add(struct intern *t, struct str s)
{
	uint32_t code = hash(s);
	struct intern_slot *slot;
	struct str copy;

	if (t->count >= t->cap / 2 && !grow(t))
		return INTERN_FAILED;
	slot = find(t, s, code);
	if (slot->entry != 0)
		return slot->entry - 1;
	copy = arena_str(&t->text, s);
	if (copy.p == NULL)
		return INTERN_FAILED;
	t->entries[t->count] = copy;
	*slot = (struct intern_slot){++t->count, code};
	return t->count - 1;
}

uint32_t intern_find(const struct intern *t, struct str s)
{
	/* A free slot has entry 0, which makes it INTERN_FAILED. */
	return t->cap == 0 ? INTERN_FAILED : find(t, s, hash(s))->entry - 1;
}
