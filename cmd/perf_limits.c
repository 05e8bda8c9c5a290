#include "perf_limits.h"

#include "base/array.h"
#include "base/num.h"
#include "common.h"
#include "rollout/condition.h"

static struct {
	struct condition *v;
	size_t n, cap;
} conditions;

static double threshold = -1; /* none */

const char *take_condition(const char *text)
{
	conditions.v = array_room(conditions.v, &conditions.cap, conditions.n,
				  sizeof(*conditions.v));
	if (conditions.n == conditions.cap)
		die_memory();
	if (!condition_read(&conditions.v[conditions.n], text))
		return "KEY > LIMIT or KEY < LIMIT, with a number or a change "
		       "such as +10% as the limit";
	conditions.n++;
	return NULL;
}

const char *take_threshold(const char *text)
{
	struct str number = str_of(text);

	if (!str_ends(number, "%"))
		return "a change such as 5%";
	number.n--;
	if (!num_parse_double(number, &threshold) || threshold < 0 ||
	    threshold > 1e6)
		return "a change from 0% to 1000000%";
	threshold /= 100;
	return NULL;
}

const char *limits_need_baseline(void)
{
	for (size_t i = 0; i < conditions.n; i++)
		if (conditions.v[i].change)
			return "--fail-if with a change";
	return threshold >= 0 ? "--threshold" : NULL;
}

bool limits_given(void)
{
	return conditions.n > 0;
}

void limits_each_percentile(void (*wanted)(double percent))
{
	for (size_t i = 0; i < conditions.n; i++) {
		double percent;

		if (condition_percentile(&conditions.v[i], &percent))
			wanted(percent);
	}
}

static void say_broken(const char *name, const struct condition *condition,
		       const struct judgement *judgement)
{
	if (judgement->missing != NULL)
		exceed("%s: %s: there is no such figure%s%s", name,
		       condition->text, *judgement->missing ? " in the " : "",
		       judgement->missing);
	else if (condition->change)
		exceed("%s: %s: it changed by %+.6g%%", name, condition->text,
		       100 * judgement->value);
	else
		exceed("%s: %s: it is %.6g", name, condition->text,
		       judgement->value);
}

void limits_judge(const char *name, const struct figures *baseline,
		  const struct figures *figures)
{
	for (size_t i = 0; i < conditions.n; i++) {
		struct judgement judgement =
			condition_judge(&conditions.v[i], baseline, figures);

		if (judgement.broken)
			say_broken(name, &conditions.v[i], &judgement);
	}
}

void limits_judge_changes(const char *name, const struct comparison *c)
{
	for (size_t i = 0; threshold >= 0 && i < c->n; i++) {
		const struct change *change = &c->v[i];

		if (!change_exceeds(change, threshold))
			continue;
		exceed("%s: %s got worse by more than %.6g%%: it changed by "
		       "%+.6g%%",
		       name, change->key, 100 * threshold,
		       100 * change->relative);
	}
}
