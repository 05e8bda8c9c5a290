#include "perf_compare.h"

#include "common.h"
#include "dump.h"
#include "perf_limits.h"
#include "perf_read.h"

/* An operand with several rollouts is ambiguous. */
static bool read_side(struct digests *side, const char *name,
		      const struct digest_plan *plan)
{
	struct dump dump = {.name = name};
	struct err err = {0};

	perf_read(name, plan, side);
	if (side->n == 1)
		return true;
	if (side->n > 1)
		err_set(&err, ERR_INPUT,
			"holds %zu rollouts; give one to compare", side->n);
	if (err.code < 0)
		dump_fail(&dump, &err);
	return false;
}

/* Only if both sides have one, which saved metrics do not. */
static void add_walls(struct digest_part *from, struct digest_part *to)
{
	struct err err = {0};

	if (from->times == NULL || to->times == NULL)
		return;
	if (breakdown_add_wall(from->times, &from->figures, &err) < 0 ||
	    breakdown_add_wall(to->times, &to->figures, &err) < 0)
		die_err(&err);
}

static void put_comparison(const char *const *names, struct digest_part *from,
			   struct digest_part *to, compare_put *put,
			   struct out *out)
{
	const struct compare_about about = {names[0], names[1], from, to};
	struct comparison comparison;
	struct err err = {0};

	add_walls(from, to);
	if (compare(&comparison, &(struct compared){from->perf, &from->figures},
		    &(struct compared){to->perf, &to->figures}, &err) < 0 ||
	    put(out, &about, &comparison, &err) < 0)
		die_err(&err);
	limits_judge(about.to, &from->figures, &to->figures);
	limits_judge_changes(&about, &comparison);
	comparison_free(&comparison);
}

bool perf_compare(char *const *names, const struct digest_plan *plan,
		  compare_put *put, struct out *out)
{
	struct digest_plan timed = *plan;
	struct digests from = {0};
	struct digests to = {0};
	bool both;

	timed.breakdown = timed.compares = true;
	timed.stragglers = 1;
	both = read_side(&from, names[0], &timed);
	both &= read_side(&to, names[1], &timed);
	if (both)
		put_comparison((const char *const *)names, &from.v[0]->parts[0],
			       &to.v[0]->parts[0], put, out);
	digests_free(&from);
	digests_free(&to);
	return both;
}
