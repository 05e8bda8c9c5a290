#include "perf_compare.h"

#include "common.h"
#include "dump.h"
#include "perf_limits.h"
#include "perf_read.h"

/* One side: its digest and the figures of it. */
struct side {
	struct digests digests;
	struct figures figures;
};

/* An operand of several rollouts could mean any of them. */
static bool read_side(struct side *side, const char *name,
		      const struct digest_plan *plan)
{
	struct dump dump = {.name = name};
	struct err err = {0};

	side->figures = figures_new();
	perf_read(name, plan, &side->digests);
	if (side->digests.n == 1 &&
	    perf_figures(side->digests.v[0]->parts[0].perf, &plan->perf,
			 &side->figures, &err) == 0)
		return true;
	if (side->digests.n > 1)
		err_set(&err, ERR_INPUT,
			"holds %zu rollouts; give one to compare",
			side->digests.n);
	if (err.code < 0)
		dump_fail(&dump, &err);
	return false;
}

static void free_side(struct side *side)
{
	digests_free(&side->digests);
	figures_free(&side->figures);
}

static void put_comparison(const struct compare_about *about,
			   const struct side *from, const struct side *to,
			   compare_put *put, struct out *out)
{
	struct perf *a = from->digests.v[0]->parts[0].perf;
	struct perf *b = to->digests.v[0]->parts[0].perf;
	struct comparison comparison;
	struct err err = {0};

	if (compare(&comparison, &(struct compared){a, &from->figures},
		    &(struct compared){b, &to->figures}, &err) < 0 ||
	    put(out, about, &comparison, &err) < 0)
		die_err(&err);
	limits_judge(about->to, &from->figures, &to->figures);
	limits_judge_changes(about->to, &comparison);
	comparison_free(&comparison);
}

bool perf_compare(char *const *names, const struct digest_plan *plan,
		  compare_put *put, struct out *out)
{
	struct side from = {0};
	struct side to = {0};
	bool both = read_side(&from, names[0], plan);

	both &= read_side(&to, names[1], plan);
	if (both)
		put_comparison(&(struct compare_about){names[0], names[1]},
			       &from, &to, put, out);
	free_side(&from);
	free_side(&to);
	return both;
}
