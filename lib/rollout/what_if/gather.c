#include "rollout/what_if/gather.h"

struct what_if_gather what_if_gather_new(void)
{
	return (struct what_if_gather){.store = row_store_new(),
				       .names = span_names_new(),
				       .workers = workers_new()};
}

void what_if_gather_free(struct what_if_gather *gather)
{
	row_store_free(&gather->store);
	span_names_free(&gather->names);
	answers_free(&gather->answers);
	workers_free(&gather->workers);
	timed_row_free(&gather->timed);
	*gather = (struct what_if_gather){0};
}

int what_if_gather_add(struct what_if_gather *gather,
		       const struct sample *sample, const struct row *row,
		       uint32_t number, struct err *err)
{
	const struct stored_row about = {.part = number,
					 .worker = ROW_NO_WORKER};
	int code = 0;

	if (!sample->is_stray)
		code = timed_row_read(&gather->timed, row, &gather->names, err);
	if (code > 0 && answers_add(&gather->answers, &gather->workers, sample,
				    row, gather->store.count, err) < 0)
		code = err->code;
	if (code > 0)
		code = row_store_add(&gather->store, row, &gather->timed,
				     &about, err);
	timed_row_release(&gather->timed);
	return code;
}

struct what_if *what_if_gather_price(const struct what_if_gather *gather,
				     struct err *err)
{
	static const struct what_if_plan all = {0};

	return what_if_make(&all, &gather->store, &gather->names,
			    &gather->answers, &gather->workers, err);
}
