#include "rollout/condition.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

static bool read_limit(struct condition *c, struct str limit)
{
	bool signed_up = limit.n > 0 && limit.p[0] == '+';

	c->change = str_ends(limit, "%");
	if (c->change)
		limit = str_trim(str_make(limit.p, limit.n - 1));
	else if (signed_up)
		return false;
	if (!num_parse_double(limit, &c->limit) || !isfinite(c->limit))
		return false;
	if (c->change)
		c->limit /= 100;
	return true;
}

bool condition_read(struct condition *c, const char *text)
{
	size_t n = strcspn(text, "<>");
	const char *limit = text + n + 1;
	struct str key = str_trim(str_make(text, n));

	if (text[n] == '\0' || key.n == 0)
		return false;
	*c = (struct condition){
		.text = text, .above = text[n] == '>', .equal = *limit == '='};
	return perf_key_spell(c->key, key) &&
	       read_limit(c, str_trim(str_of(limit + c->equal)));
}

double relative_change(double from, double to)
{
	if (from == to)
		return 0;
	return (to - from) / fabs(from);
}

static bool is_broken(const struct condition *c, double value)
{
	if (c->equal && value == c->limit)
		return true;
	return c->above ? value > c->limit : value < c->limit;
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
	if (c->change) {
		j.missing = "baseline";
		from = figures_find(baseline, str_of(c->key));
		if (from == NULL)
			return j;
		j.value = relative_change(from->value, to->value);
	}
	j.missing = NULL;
	j.broken = is_broken(c, j.value);
	return j;
}
