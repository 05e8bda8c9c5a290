#include "sink/metrics/limit_out.h"

#include <stdlib.h>

#include "base/limits.h"
#include "sink/metrics/column.h"
#include "sink/metrics/grid.h"

struct limit_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct metric_sink *inner;
	struct limit_watch *watch;
	struct grid grid; /* families that limits may apply to */
	bool wanted;	  /* the current family is one */
};

/* Record existing names, for limits that name something else. */
static int note(struct limit_out *l, struct str name, struct err *err)
{
	return intern_add(&l->watch->seen, name) == INTERN_FAILED
		       ? intern_error(&l->watch->seen, err)
		       : 0;
}

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct limit_out *l = (struct limit_out *)sink;
	int code = grid_begin(&l->grid, about, err);

	for (size_t i = 0; code == 0 && about->flat && i < about->n_scalars;
	     i++)
		code = note(l, str_of(about->scalars[i].name), err);
	return code < 0 ? code : l->inner->begin(l->inner, about, err);
}

/* Can the name be the family's, or that of its count, mean or quantile? */
static bool may_be(struct str family, struct str wanted)
{
	const char *last = strrchr(wanted.p, '_');
	char base[512];

	if (column_is_named(family, wanted))
		return true;
	if (last == NULL || (size_t)(last - wanted.p) >= sizeof(base))
		return false;
	memcpy(base, wanted.p, (size_t)(last - wanted.p));
	base[last - wanted.p] = '\0';
	return column_is_named(family, str_of(base));
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	struct limit_out *l = (struct limit_out *)sink;
	int code = l->grid.about.flat ? 0 : note(l, f->name, err);

	l->wanted = false;
	for (size_t i = 0; i < l->watch->n; i++)
		l->wanted |= may_be(f->name, l->watch->v[i].name);
	if (l->wanted)
		grid_family(&l->grid, f);
	return code < 0 ? code : l->inner->family(l->inner, f, err);
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct limit_out *l = (struct limit_out *)sink;
	int code = l->wanted ? grid_sample(&l->grid, s, err) : 0;

	return code < 0 ? code : l->inner->sample(l->inner, s, err);
}

/* A value beyond the last bound of a histogram exceeds a limit there, and is
 * never certainly below one. */
static bool is_broken(const struct limit_text *limit,
		      const struct grid_cell *cell)
{
	if (!cell->at_least)
		return limit_is_broken(limit, cell->value);
	return limit->above && cell->value >= limit->limit;
}

static void judge_column(struct limit_out *l, struct metric_limit *limit,
			 uint32_t column)
{
	const struct grid *g = &l->grid;

	limit->found = true;
	for (uint32_t i = 0; i < g->rows.count; i++) {
		uint32_t row = g->row_order[i];
		const struct grid_cell *cell = grid_find(g, row, column);

		if (cell != NULL && is_broken(&limit->limit, cell))
			l->watch->broken(limit, g->columns[column].title,
					 intern_text(&g->rows, row), cell);
	}
}

static void judge(struct limit_out *l)
{
	for (size_t i = 0; i < l->watch->n; i++)
		for (uint32_t k = 0; k < l->grid.n_columns; k++)
			if (grid_is_named(&l->grid.columns[k],
					  l->watch->v[i].name))
				judge_column(l, &l->watch->v[i], k);
}

static int end(struct metric_sink *sink, struct err *err)
{
	struct limit_out *l = (struct limit_out *)sink;
	int code = l->inner->end(l->inner, err);

	if (code == 0)
		code = grid_settle(&l->grid, err);
	if (code == 0)
		code = grid_order(&l->grid, NULL, err);
	if (code == 0)
		judge(l);
	return code;
}

static void free_sink(struct metric_sink *sink)
{
	struct limit_out *l = (struct limit_out *)sink;

	l->inner->free(l->inner);
	grid_free(&l->grid);
	free(l);
}

struct metric_sink *limit_out_new(struct metric_sink *inner,
				  struct limit_watch *watch, struct err *err)
{
	struct limit_out *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		err_memory(err);
		return NULL;
	}
	l->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	l->inner = inner;
	l->watch = watch;
	l->grid = grid_new();
	watch->seen = intern_new(LIMIT_STRING);
	for (size_t i = 0; i < watch->n; i++)
		grid_want(&l->grid, watch->v[i].name);
	return &l->sink;
}
