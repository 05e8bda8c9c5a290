#include <math.h>

#include "rollout/perf.h"

struct collector {
	struct perf_visitor base; /* first: the functions cast back */
	struct figures *figures;
	struct err *err;
};

static void take(struct perf_visitor *visitor, struct figure figure)
{
	struct collector *c = (struct collector *)visitor;

	if (isfinite(figure.value))
		figures_add(c->figures, figure, c->err);
}

static void take_count(struct perf_visitor *visitor, const char *key,
		       uint64_t n)
{
	take(visitor,
	     (struct figure){.key = key, .value = (double)n, .count = true});
}

static void take_value(struct perf_visitor *visitor, const char *key, double d)
{
	take(visitor, (struct figure){.key = key, .value = d});
}

int perf_figures(struct perf *perf, const struct perf_wanted *wanted,
		 struct figures *figures, struct err *err)
{
	const struct figures *given = perf_given(perf);
	struct collector c = {{take_count, take_value}, figures, err};

	err->code = ERR_NONE;
	if (given == NULL)
		perf_visit(perf, wanted, &c.base);
	for (size_t i = 0; given != NULL && i < given->n; i++)
		take(&c.base, given->v[i]);
	return err->code;
}
