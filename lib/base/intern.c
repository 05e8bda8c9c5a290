#include "base/intern.h"

#include <stdlib.h>

#include "base/map.h"

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
static uint32_t *find(const struct intern *t, struct str s)
{
	uint32_t at = hash(s) & (t->cap - 1);

	while (t->slots[at] != 0 && !str_eq(t->entries[t->slots[at] - 1], s))
		at = (at + 1) & (t->cap - 1);
	return &t->slots[at];
}

static bool grow(struct intern *t)
{
	uint32_t cap = t->cap == 0 ? 64 : t->cap * 2;
	struct str *entries =
		cap == 0 ? NULL
			 : realloc(t->entries, cap / 2 * sizeof(*entries));
	uint32_t *slots;

	if (entries == NULL)
		return false;
	t->entries = entries;
	slots = calloc(cap, sizeof(*slots));
	if (slots == NULL)
		return false;
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	for (uint32_t i = 0; i < t->count; i++)
		*find(t, entries[i]) = i + 1;
	return true;
}

uint32_t intern_add(struct intern *t, struct str s)
{
	uint32_t *slot;
	struct str copy;

	if (t->count >= t->cap / 2 && !grow(t))
		return INTERN_FAILED;
	slot = find(t, s);
	if (*slot != 0)
		return *slot - 1;
	copy = arena_str(&t->text, s);
	if (copy.p == NULL)
		return INTERN_FAILED;
	t->entries[t->count] = copy;
	*slot = ++t->count;
	return t->count - 1;
}

uint32_t intern_find(const struct intern *t, struct str s)
{
	return t->cap == 0 || *find(t, s) == 0 ? INTERN_FAILED
					       : *find(t, s) - 1;
}
