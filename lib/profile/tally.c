#include "profile/tally.h"

#include <stdlib.h>

#include "base/array.h"

int tally_add(struct named_tallies *list, uint32_t *where, uint32_t name,
	      int64_t time, struct err *err)
{
	if (where[name] == 0) {
		if (!ARRAY_GROW_ZEROED(list->v, list->n, list->cap))
			return err_memory(err);
		list->v[list->n++].name = name;
		where[name] = (uint32_t)list->n;
	}
	tally_count(&list->v[where[name] - 1].of, time);
	return 0;
}

struct order {
	const struct intern *names;
	bool by_self;
};

static int compare(const void *x, const void *y, void *order)
{
	const struct named_tally *a = x;
	const struct named_tally *b = y;
	const struct order *by = order;
	int64_t left = by->by_self ? a->self : a->of.time;
	int64_t right = by->by_self ? b->self : b->of.time;

	if (left != right)
		return left > right ? -1 : 1;
	return str_cmp(intern_text(by->names, a->name),
		       intern_text(by->names, b->name));
}

void tally_sort(struct named_tallies *list, uint32_t *where,
		const struct intern *names, bool by_self)
{
	struct order by = {names, by_self};

	for (size_t i = 0; i < list->n; i++)
		where[list->v[i].name] = 0;
	if (list->n > 0)
		qsort_r(list->v, list->n, sizeof(*list->v), compare, &by);
}
