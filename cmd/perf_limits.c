#include "perf_limits.h"

#include "base/array.h"
#include "base/limits.h"
#include "common.h"
#include "perf_what_if.h"
#include "rollout/condition.h"
#include "rollout/what_if/what_if.h"

static struct {
	struct condition *v;
	size_t n, cap;
} conditions;

double limits_threshold = -1;

const char *take_condition(const char *text)
{
	if (!ARRAY_GROW(conditions.v, conditions.n, conditions.cap))
		die_memory();
	if (!condition_read(&conditions.v[conditions.n], text))
		return "KEY > LIMIT or KEY < LIMIT, with a number or a change "
		       "such as +10% as the limit";
	conditions.n++;
	return NULL;
}

const char *limits_need_baseline(void)
{
	for (size_t i = 0; i < conditions.n; i++)
		if (conditions.v[i].limit.change)
			return "--fail-if with a change";
	return limits_threshold >= 0 ? "--threshold" : NULL;
}

bool limits_given(void)
{
	return conditions.n > 0;
}

void limits_each_percentile(void (*wanted)(double percent))
{
	for (size_t i = 0; i < conditions.n; i++) {
		double percent;

		if (perf_key_percentile(str_of(conditions.v[i].key), &percent))
			wanted(percent);
	}
}

/* No rollout has such a key, unless saved figures do. */
static noreturn void die_unknown(const struct condition *condition)
{
	struct buf near = buf_new(LIMIT_LINE);

	perf_keys_near(&near, str_of(condition->key));
	if (near.n > 0)
		die_usage("--fail-if=%s: no metric has this key; did you mean "
			  "%.*s?",
			  condition->text, STR_ARG(buf_str(&near)));
	die_usage("--fail-if=%s: no metric has this key; keys are such as "
		  "request/e2e_latency/mean, request/queue_time/p95, "
		  "decode/throughput/min, request/count",
		  condition->text);
}

void limits_check_remedies(void)
{
	for (size_t i = 0; i < conditions.n; i++)
		if (!what_if_check_key(str_of(conditions.v[i].key),
				       conditions.v[i].text))
			die_unknown(&conditions.v[i]);
}

/* Only --what-if, or what it saved, has such a key. */
static void check_what_if(const struct condition *condition)
{
	if (str_starts(str_of(condition->key), WHAT_IF_KEY) &&
	    what_if_plan() == NULL)
		die_usage("--fail-if=%s: needs --what-if, which computes this "
			  "metric",
			  condition->text);
}

static bool is_unknown(const struct condition *condition,
		       const struct figures *baseline)
{
	struct str key = str_of(condition->key);

	return !perf_key_known(key) &&
	       (baseline == NULL || figures_find(baseline, key) == NULL);
}

static bool is_wall(const struct condition *condition)
{
	return str_is(str_of(condition->key), PERF_KEY_WALL);
}

void limits_check_wall(void)
{
	for (size_t i = 0; i < conditions.n; i++)
		if (is_wall(&conditions.v[i]))
			die_usage("--fail-if=%s: needs --compare or "
				  "--breakdown, which compute this metric",
				  conditions.v[i].text);
}

void limits_add_wall(struct digest_part *part)
{
	struct err err = {0};

	for (size_t i = 0; i < conditions.n; i++)
		if (is_wall(&conditions.v[i]) &&
		    breakdown_add_wall(part->times, &part->figures, &err) < 0)
			die_err(&err);
}

/* What the rollout lacks: a remedy that cannot be priced has no key. */
static const char *name_missing(const struct condition *condition)
{
	return str_starts(str_of(condition->key), WHAT_IF_KEY)
		       ? "this rollout has no estimate for this remedy"
		       : "this rollout has no metric with this key";
}

static void say_broken(const char *name, const struct condition *condition,
		       const struct judgement *judgement)
{
	if (judgement->missing != NULL)
		exceed("%s: %s: %s", name, condition->text,
		       *judgement->missing
			       ? "the baseline has no metric with this key"
			       : name_missing(condition));
	else if (condition->limit.change)
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

		if (judgement.missing != NULL &&
		    is_unknown(&conditions.v[i], baseline) &&
		    figures_find(figures, str_of(conditions.v[i].key)) == NULL)
			die_unknown(&conditions.v[i]);
		if (judgement.missing != NULL)
			check_what_if(&conditions.v[i]);
		if (judgement.broken)
			say_broken(name, &conditions.v[i], &judgement);
	}
}

/* Could its result be worse? */
static bool can_regress(const struct change *change)
{
	return !change->extreme && figure_good(change->key) != 0;
}

/* A watched metric must not vanish unnoticed. */
static void judge_change(const char *name, const struct change *change)
{
	if (change->verdict == VERDICT_GONE)
		exceed("%s: %s is missing, and the baseline has it", name,
		       change->key);
	else if (change_exceeds(change, limits_threshold / 100))
		exceed("%s: %s got worse by more than %.6g%%: it changed by "
		       "%+.6g%%",
		       name, change->key, limits_threshold,
		       100 * change->relative);
}

static bool in_both(const struct change *change)
{
	return change->verdict != VERDICT_GONE &&
	       change->verdict != VERDICT_NEW;
}

/* The number of requests or the like: that alone compares nothing. */
static bool is_count(const struct change *change)
{
	const char *word = figure_statistic(change->key);

	return strcmp(word, "count") == 0 ||
	       strcmp(word, "profiled_count") == 0;
}

void limits_judge_changes(const struct compare_about *about,
			  const struct comparison *c)
{
	size_t common = 0;
	size_t judged = 0;
	size_t counts = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct change *change = &c->v[i];

		common += in_both(change);
		counts += in_both(change) && is_count(change);
		judged += in_both(change) && can_regress(change);
		if (limits_threshold >= 0 && can_regress(change))
			judge_change(about->to, change);
	}
	if (common == 0)
		fail("%s and %s have no metrics in common: nothing was "
		     "compared",
		     about->from, about->to);
	else if (common == counts)
		fail("%s and %s have only counts in common, no times or "
		     "rates: nothing else was compared",
		     about->from, about->to);
	else if (judged == 0 && limits_threshold >= 0)
		fail("%s and %s have no metrics in common that can get worse: "
		     "--threshold checked nothing",
		     about->from, about->to);
}
