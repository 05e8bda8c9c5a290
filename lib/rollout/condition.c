#include "rollout/condition.h"

#include <math.h>

bool condition_read(struct condition *c, const char *text)
{
	*c = (struct condition){.text = text};
	return limit_parse(text, &c->limit) &&
	       perf_key_spell(c->key, c->limit.name);
}

double relative_change(double from, double to)
{
	if (from == to)
		return 0;
	return (to - from) / fabs(from);
}

struct judgement condition_judge(const struct condition *c,
				 const struct figures *baseline,
				 const struct figures *figures)
{
	struct judgement j = {.broken = true, .missing = ""};
	const struct figure *from = NULL;
	const struct figure *to = figures_find(figures, str_of(c->key));

	if (to == NULL)
		return j;
	j.value = to->value;
	if (c->limit.change) {
		j.missing = "baseline";
		from = figures_find(baseline, str_of(c->key));
		if (from == NULL)
			return j;
		j.value = relative_change(from->value, to->value);
	}
	j.missing = NULL;
	j.broken = limit_is_broken(&c->limit, j.value);
	return j;
}
