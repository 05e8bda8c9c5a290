#include "rollout/row_choice.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

bool row_size_is_full(const struct row_size *sum, const struct row_size *most)
{
	return sum->rows >= most->rows || sum->items >= most->items ||
	       sum->bytes >= most->bytes;
}

void row_size_add(struct row_size *sum, const struct row_size *more)
{
	sum->rows += more->rows;
	sum->items += more->items;
	sum->bytes += more->bytes;
}

int row_choice_note(struct row_choice *c, const struct row_note *note,
		    struct err *err)
{
	if (!ARRAY_GROW(c->v, c->n, c->cap))
		return err_memory(err);
	c->v[c->n++] = *note;
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct row_note *x = a;
	const struct row_note *y = b;

	return x->row_id < y->row_id ? -1 : x->row_id > y->row_id;
}

void row_choice_end(struct row_choice *c, uint64_t row_id, double own_end)
{
	const struct row_note wanted = {.row_id = row_id};
	struct row_note *note = c->n > 0 ? bsearch(&wanted, c->v, c->n,
						   sizeof(*c->v), compare_ids)
					 : NULL;

	if (note != NULL)
		note->own_end = own_end;
}

/* The latest first, NaN last. */
static int compare_times(double x, double y)
{
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return x == y ? 0 : x > y ? -1 : 1;
}

static int compare_ends(const void *a, const void *b)
{
	const struct row_note *x = a;
	const struct row_note *y = b;
	int order = compare_times(x->own_end, y->own_end);

	if (order == 0)
		order = compare_times(x->end, y->end);
	return order == 0 ? compare_ids(a, b) : order;
}

void row_choice_keep(struct row_choice *c, const struct row_size *most)
{
	struct row_size sum = {0};
	size_t kept = 0;

	if (c->n == 0)
		return;
	qsort(c->v, c->n, sizeof(*c->v), compare_ends);
	while (kept < c->n && !row_size_is_full(&sum, most))
		row_size_add(&sum, &c->v[kept++].size);
	c->n = kept;
	qsort(c->v, c->n, sizeof(*c->v), compare_ids);
}

bool row_choice_has(const struct row_choice *c, uint64_t row_id)
{
	const struct row_note wanted = {.row_id = row_id};

	return c->n > 0 &&
	       bsearch(&wanted, c->v, c->n, sizeof(*c->v), compare_ids) != NULL;
}

void row_choice_free(struct row_choice *c)
{
	free(c->v);
	*c = (struct row_choice){0};
}
