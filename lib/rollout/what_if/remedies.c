#include "rollout/what_if/remedies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/str.h"

static const char *const ids[REMEDY_KINDS + 1] = {
	"cut_p99",     "cut_p95",	"cut_p90",     "reward_median",
	"tool_median", "engines_equal", "stalls_gone", "engines_x2",
	"slots_x2",    "stop_at_95",	"stop_at_90",  NULL};

static const char not_named[] =
	"engines are not named; record worker_addr on the generation spans";

const char *what_if_remedy_id(enum what_if_remedy_kind kind)
{
	return ids[kind];
}

static void refuse(struct what_if_remedy *remedy, const char *text)
{
	snprintf(remedy->refused, sizeof(remedy->refused), "%s", text);
}

/* Cuts -------------------------------------------------------------------- */

static double tokens_above(const struct what_if_model *model, double cut)
{
	double sum = 0;

	for (size_t i = 0; i < model->request_count; i++)
		sum += fmax(model->requests[i].tokens - cut, 0);
	return sum;
}

static int list_cut(const struct what_if_model *model, size_t percent,
		    struct what_if_remedy *remedy, struct err *err)
{
	size_t least = 100 / (100 - percent);

	if (what_if_tokens_at(model, percent, &remedy->change.cut, err) < 0)
		return err->code;
	if (model->request_count < least)
		snprintf(remedy->refused, sizeof(remedy->refused),
			 "%zu answer%s too few; it needs %zu",
			 model->request_count,
			 model->request_count == 1 ? " is" : "s are", least);
	else if (!(remedy->change.cut > 0))
		refuse(remedy, "answers have no tokens");
	remedy->tokens_lost = tokens_above(model, remedy->change.cut);
	return 0;
}

/* Gaps -------------------------------------------------------------------- */

static double part_of(const struct what_if_gap *gap, bool reward)
{
	return reward ? gap->reward : gap->tool;
}

/* The upper median of the rewards, or tools; 0 if there are none. */
static int median_part(const struct what_if_model *model, bool reward,
		       double *median, struct err *err)
{
	struct stats all = {0};
	bool good = true;

	for (size_t i = 0; good && i < model->request_count; i++) {
		double part = part_of(&model->requests[i].gap, reward);

		good = !(part > 0) || stats_add(&all, part);
	}
	for (size_t i = 0; good && i < model->sample_count; i++) {
		double part = part_of(&model->samples[i].tail, reward);

		good = !(part > 0) || stats_add(&all, part);
	}
	*median = 0;
	if (good && all.n > 0) {
		stats_sort(&all);
		*median = all.v[all.n / 2];
	}
	stats_free(&all);
	return good ? 0 : err_memory(err);
}

static int list_median(const struct what_if_model *model, bool reward,
		       struct what_if_remedy *remedy, struct err *err)
{
	double median;

	if (median_part(model, reward, &median, err) < 0)
		return err->code;
	if (!(median > 0))
		refuse(remedy, reward ? "no reward spans" : "no tool spans");
	if (reward)
		remedy->change.reward = median;
	else
		remedy->change.tool = median;
	remedy->change.caps_reward = reward;
	remedy->change.caps_tool = !reward;
	return 0;
}

/* Engines ----------------------------------------------------------------- */

static void list_equal(const struct what_if *what_if,
		       struct what_if_remedy *remedy)
{
	const struct what_if_fit *fit = &what_if->fit;
	bool any = false;

	for (size_t i = 0; i < fit->engine_count; i++)
		any |= fit->engines[i].slow;
	remedy->change.equal = true;
	if (fit->engine_count < 2)
		refuse(remedy, "there is only one engine");
	else if (!any)
		refuse(remedy, "no engine is 1.15 times slower than the "
			       "middle one");
}

/* The least and the most slots; false: they are not known of all engines. */
static bool find_slots(const struct what_if_fit *fit, uint32_t *least,
		       uint32_t *most, bool *steady)
{
	*least = UINT32_MAX;
	*most = 0;
	*steady = true;
	for (size_t i = 0; i < fit->engine_count; i++) {
		const struct what_if_engine *engine = &fit->engines[i];

		if (engine->slots == 0)
			return false;
		*most = engine->slots > *most ? engine->slots : *most;
		*least = engine->slots < *least ? engine->slots : *least;
		*steady &= engine->steady;
	}
	return true;
}

static void list_slots(const struct what_if *what_if,
		       struct what_if_remedy *remedy)
{
	bool steady;
	uint32_t least, most;

	remedy->range_only = true;
	if (!find_slots(&what_if->fit, &least, &most, &steady))
		refuse(remedy, "slots are not known: requests hardly queue");
	else if (!steady)
		refuse(remedy, "slots are not steady: memory may bound them");
	else if (remedy->change.slots > 0 && remedy->change.slots < most)
		snprintf(remedy->refused, sizeof(remedy->refused),
			 "an engine has %u slot%s; fewer are not estimated",
			 most, str_plural(most));
	else if (remedy->change.slots > 0 && remedy->change.slots == least)
		snprintf(remedy->refused, sizeof(remedy->refused),
			 "each engine already has %u slot%s", least,
			 str_plural(least));
}

/* Groups ------------------------------------------------------------------ */

/* When that fraction of the groups was done. */
static int list_stop(const struct what_if_model *model, int percent,
		     struct what_if_remedy *remedy, struct err *err)
{
	size_t n = model->group_count;
	size_t done = (n * (size_t)percent + 99) / 100;
	struct stats ends = {0};
	bool good = true;

	for (size_t i = 0; good && i < n; i++)
		good = stats_add(&ends, model->groups[i].end);
	stats_sort(&ends);
	remedy->wall = good && done > 0 ? ends.v[done - 1] : 0;
	remedy->saves = model->wall - remedy->wall;
	remedy->recorded = true;
	stats_free(&ends);
	return good ? 0 : err_memory(err);
}

/* All of them ------------------------------------------------------------- */

static bool needs_engines(enum what_if_remedy_kind kind)
{
	switch ((int)kind) {
	case REMEDY_ENGINES_EQUAL:
	case REMEDY_STALLS_GONE:
	case REMEDY_ENGINES_X2:
	case REMEDY_SLOTS_X2:
	case REMEDY_SLOTS:
		return true;
	default:
		return false;
	}
}

/* Its change, and whether the rollout has the data it needs. */
static int describe(const struct what_if *what_if,
		    struct what_if_remedy *remedy, struct err *err)
{
	const struct what_if_model *model = &what_if->model;

	switch (remedy->kind) {
	case REMEDY_CUT_P99:
		return list_cut(model, 99, remedy, err);
	case REMEDY_CUT_P95:
		return list_cut(model, 95, remedy, err);
	case REMEDY_CUT_P90:
		return list_cut(model, 90, remedy, err);
	case REMEDY_REWARD_MEDIAN:
		return list_median(model, true, remedy, err);
	case REMEDY_TOOL_MEDIAN:
		return list_median(model, false, remedy, err);
	case REMEDY_STOP_AT_95:
		return list_stop(model, 95, remedy, err);
	case REMEDY_STOP_AT_90:
		return list_stop(model, 90, remedy, err);
	case REMEDY_ENGINES_EQUAL:
		list_equal(what_if, remedy);
		break;
	case REMEDY_STALLS_GONE:
		remedy->change.calm = true;
		break;
	case REMEDY_ENGINES_X2:
		remedy->change.engines = 2;
		remedy->range_only = true;
		break;
	case REMEDY_SLOTS_X2:
		remedy->change.slots_ratio = 2;
		list_slots(what_if, remedy);
		break;
	case REMEDY_SLOTS:
		list_slots(what_if, remedy);
		break;
	case REMEDY_CUT:
		remedy->tokens_lost = tokens_above(model, remedy->change.cut);
		break;
	}
	return 0;
}

static int list_one(struct what_if *what_if, struct what_if_remedy remedy,
		    const char *reason, struct err *err)
{
	if (needs_engines(remedy.kind) && !what_if->model.named)
		refuse(&remedy,
		       what_if->model.pd
			       ? "prefill and decode run on different engines; "
				 "these have no model"
			       : not_named);
	else if (describe(what_if, &remedy, err) < 0)
		return err->code;
	if (reason != NULL && !remedy.recorded)
		refuse(&remedy, reason);
	if (what_if->stalled_part > WHAT_IF_STALLED_MOST && !remedy.recorded &&
	    remedy.kind != REMEDY_STALLS_GONE)
		remedy.range_only = true;
	what_if->remedies[what_if->remedy_count++] = remedy;
	return 0;
}

static struct what_if_remedy make_own(const struct what_if_own *own)
{
	struct what_if_remedy remedy = {.kind = own->kind};

	if (own->kind == REMEDY_CUT)
		remedy.change.cut = own->value;
	else
		remedy.change.slots = own->value;
	snprintf(remedy.id, sizeof(remedy.id), "%s_%u",
		 own->kind == REMEDY_CUT ? "cut" : "slots", own->value);
	return remedy;
}

int what_if_list_remedies(struct what_if *what_if,
			  const struct what_if_plan *plan, const char *reason,
			  struct err *err)
{
	what_if->remedy_count = 0;
	for (size_t i = 0; i < REMEDY_KINDS; i++) {
		struct what_if_remedy remedy = {
			.kind = (enum what_if_remedy_kind)i};

		if (plan->chosen && !plan->remedies[i])
			continue;
		snprintf(remedy.id, sizeof(remedy.id), "%s", ids[i]);
		if (list_one(what_if, remedy, reason, err) < 0)
			return err->code;
	}
	for (size_t i = 0; i < plan->own_count; i++)
		if (list_one(what_if, make_own(&plan->own[i]), reason, err) < 0)
			return err->code;
	return 0;
}
