#include "base/map.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/pages.h"

enum { FIRST_CAP = 64 };

struct map map_new(bool valued)
{
	return (struct map){.valued = valued};
}

void map_free(struct map *m)
{
	free(m->keys);
	free(m->values);
	*m = map_new(m->valued);
}

void map_clear(struct map *m)
{
	if (m->cap > 0)
		memset(m->keys, 0, m->cap * sizeof(*m->keys));
	m->n = 0;
}

/* The slot of key, or the free one where it belongs. */
static size_t place(const struct map *m, uint64_t key)
{
	size_t i = map_home(m, key);

	while (m->keys[i] != 0 && m->keys[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static bool allocate(struct map *m)
{
	size_t keys = m->cap * sizeof(*m->keys);
	size_t values = m->cap * sizeof(*m->values);

	m->keys = pages_alloc(keys);
	if (m->keys == NULL)
		return false;
	/* Touch all pages now: calloc's would fault twice, on read and on
	 * write. Compilers turn a memset here into calloc. */
	explicit_bzero(m->keys, keys);
	if (!m->valued)
		return true;
	m->values = pages_alloc(values);
	return m->values != NULL;
}

static int grow(struct map *m)
{
	struct map wider = {.valued = m->valued,
			    .n = m->n,
			    .cap = m->cap == 0 ? FIRST_CAP : m->cap * 2};

	wider.shift = 64 - __builtin_ctzll(wider.cap);

	if (!allocate(&wider)) {
		map_free(&wider);
		return ERR_MEMORY;
	}
	/* Homes are in the order of what is hashed, so both tables are walked
	 * from front to back. */
	for (size_t i = 0; i < m->cap; i++) {
		size_t to;

		if (m->keys[i] == 0)
			continue;
		to = place(&wider, m->keys[i]);
		wider.keys[to] = m->keys[i];
		if (wider.valued)
			wider.values[to] = m->values[i];
	}
	free(m->keys);
	free(m->values);
	m->keys = wider.keys;
	m->values = wider.values;
	m->cap = wider.cap;
	m->shift = wider.shift;
	return 0;
}

int map_add(struct map *m, uint64_t key, uint32_t *value)
{
	size_t i;

	if (m->n >= m->cap / 4 * 3 && grow(m) < 0)
		return ERR_MEMORY;
	key += key == 0;
	i = place(m, key);
	if (m->keys[i] == key) {
		if (m->valued)
			*value = m->values[i];
		return 0;
	}
	m->keys[i] = key;
	if (m->valued)
		m->values[i] = *value;
	m->n++;
	return 1;
}

bool map_find(const struct map *m, uint64_t key, uint32_t *value)
{
	size_t i;

	if (m->cap == 0)
		return false;
	key += key == 0;
	i = place(m, key);
	if (m->keys[i] != key)
		return false;
	if (value != NULL && m->valued)
		*value = m->values[i];
	return true;
}
