#include "fmt/value/value_make.h"

#include <string.h>

struct value value_new(struct arena *a, enum value_kind kind, uint32_t cap)
{
	struct value_items *items =
		arena_alloc(a, sizeof(*items) + cap * sizeof(*items->v));
	struct value absent = {.kind = VALUE_ABSENT};

	if (items == NULL)
		return absent;
	*items = (struct value_items){.cap = cap};
	if (cap > 0)
		items->v = (struct value *)(items + 1);
	return (struct value){.kind = (uint8_t)kind, .items = items};
}

static bool widen(struct arena *a, struct value_items *items, uint32_t cap)
{
	struct value *v;

	if (cap <= items->cap)
		return false;
	v = arena_widen(a, items->v, items->cap * sizeof(*v), cap * sizeof(*v));
	if (v == NULL)
		return false;
	items->v = v;
	items->cap = cap;
	return true;
}

bool value_push(struct arena *a, struct value container, struct value v)
{
	struct value_items *items = container.items;

	if (items->n == items->cap &&
	    !widen(a, items, items->cap == 0 ? 8 : items->cap * 2))
		return false;
	items->v[items->n++] = v;
	return true;
}

bool value_push_all(struct arena *a, struct value container,
		    const struct value *v, uint32_t n)
{
	struct value_items *items = container.items;

	/* Most containers are filled at once: no slack then. */
	if (n > items->cap - items->n &&
	    !widen(a, items, items->n == 0 ? n : items->n + n + items->n / 2))
		return false;
	if (n > 0)
		memcpy(items->v + items->n, v, n * sizeof(*v));
	items->n += n;
	return true;
}

struct value value_find(struct value dict, struct str key)
{
	if (dict.kind == VALUE_DICT)
		for (uint32_t i = dict.items->n; i >= 2; i -= 2)
			if (dict.items->v[i - 2].kind == VALUE_STR &&
			    str_eq(value_text(dict.items->v[i - 2]), key))
				return dict.items->v[i - 1];
	return (struct value){.kind = VALUE_ABSENT};
}
