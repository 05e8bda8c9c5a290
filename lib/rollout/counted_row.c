#include "rollout/counted_row.h"

struct counting {
	struct rows_visitor base; /* first: count casts back */
	const struct row_store *store;
	const struct span_names *names;
	struct self_times self;
	counted_take *take;
	void *taker;
};

static int count(struct rows_visitor *visitor, size_t place,
		 const struct timed_row *timed, const struct own_time *own,
		 struct err *err)
{
	struct counting *c = (struct counting *)visitor;
	const struct counted_row row = {c->store, place, timed, own, &c->self};

	if (self_times_find(&c->self, timed, own, c->names, err) < 0)
		return err->code;
	return c->take(c->taker, &row, err);
}

int counted_each(const struct row_store *store, const struct span_names *names,
		 counted_take *take, void *taker, struct victims *victims,
		 struct err *err)
{
	struct counting counting = {.base = {count},
				    .store = store,
				    .names = names,
				    .take = take,
				    .taker = taker};
	int code = waits_each(store, names, &counting.base, victims, err);

	self_times_free(&counting.self);
	return code;
}
