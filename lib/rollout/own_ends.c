#include "rollout/own_ends.h"

#include "rollout/waits.h"

struct end_visitor {
	struct rows_visitor base;
	const struct row_store *store;
	struct row_choice *choice;
};

struct own_ends own_ends_new(void)
{
	return (struct own_ends){.names = span_names_new(),
				 .store = row_store_new()};
}

void own_ends_free(struct own_ends *ends)
{
	span_names_free(&ends->names);
	timed_row_free(&ends->timed);
	row_store_free(&ends->store);
}

int own_ends_add(struct own_ends *ends, const struct row *row, struct err *err)
{
	const struct stored_row about = {.worker = ROW_NO_WORKER};
	int code = timed_row_read(&ends->timed, row, &ends->names, err);

	if (code > 0)
		code = row_store_add(&ends->store, row, &ends->timed, &about,
				     err);
	timed_row_release(&ends->timed);
	return code;
}

static int take_end(struct rows_visitor *base, size_t place,
		    const struct timed_row *timed, const struct own_time *own,
		    struct err *err)
{
	const struct end_visitor *visitor = (const struct end_visitor *)base;

	(void)timed, (void)err;
	row_choice_end(visitor->choice, visitor->store->rows[place].row_id,
		       (double)own->end);
	return 0;
}

int own_ends_find(const struct own_ends *ends, struct row_choice *choice,
		  struct err *err)
{
	struct end_visitor visitor = {{take_end}, &ends->store, choice};
	struct victims victims = {0};
	int code = waits_each(&ends->store, &ends->names, &visitor.base,
			      &victims, err);

	victims_free(&victims);
	return code;
}
