#include "rollout/what_if/advice.h"

#include <math.h>

void what_if_put_seconds(struct buf *text, double seconds)
{
	int decimals = seconds >= 100 ? 0 : seconds >= 10 ? 1 : 2;

	if (seconds >= 1e7)
		buf_printf(text, "%.3g", seconds);
	else
		buf_printf(text, "%.*f", seconds < 0.1 ? 3 : decimals, seconds);
}

/* "rewards at most 0.03 s"; of a remedy that has no price, "rewards at the
 * median", for that is unknown. */
static void put_at_most(struct buf *text, const char *what, double seconds,
			const struct what_if_remedy *remedy)
{
	if (remedy->refused[0] != '\0') {
		buf_printf(text, "%s at the median", what);
		return;
	}
	buf_printf(text, "%s at most ", what);
	what_if_put_seconds(text, seconds);
	buf_puts(text, " s");
}

void what_if_put_title(struct buf *text, const struct what_if_remedy *remedy)
{
	const struct what_if_change *change = &remedy->change;

	switch (remedy->kind) {
	case REMEDY_CUT_P99:
	case REMEDY_CUT_P95:
	case REMEDY_CUT_P90:
		buf_printf(text, "cut at %s", remedy->id + 4);
		if (remedy->refused[0] == '\0')
			buf_printf(text, " (%.0f token%s)", change->cut,
				   change->cut == 1 ? "" : "s");
		break;
	case REMEDY_CUT:
		buf_printf(text, "cut at %.0f token%s", change->cut,
			   change->cut == 1 ? "" : "s");
		break;
	case REMEDY_REWARD_MEDIAN:
		put_at_most(text, "rewards", change->reward, remedy);
		break;
	case REMEDY_TOOL_MEDIAN:
		put_at_most(text, "tools", change->tool, remedy);
		break;
	case REMEDY_ENGINES_EQUAL:
		buf_puts(text, "engines equal");
		break;
	case REMEDY_STALLS_GONE:
		buf_puts(text, "no stalls");
		break;
	case REMEDY_ENGINES_X2:
		buf_puts(text, "engines x 2");
		break;
	case REMEDY_SLOTS_X2:
		buf_puts(text, "slots x 2");
		break;
	case REMEDY_SLOTS:
		buf_printf(text, "%u slot%s per engine", change->slots,
			   str_plural(change->slots));
		break;
	case REMEDY_STOP_AT_95:
		buf_puts(text, "stop at 95% of groups");
		break;
	case REMEDY_STOP_AT_90:
		buf_puts(text, "stop at 90% of groups");
		break;
	}
}

uint32_t what_if_slots(const struct what_if *w)
{
	uint32_t slots = 0;

	for (size_t i = 0; i < w->fit.engine_count; i++) {
		uint32_t own = w->fit.engines[i].slots;

		if (own == 0 || (i > 0 && own != slots))
			return 0;
		slots = own;
	}
	return slots;
}

static uint32_t most_slots(const struct what_if *w)
{
	uint32_t most = 0;

	for (size_t i = 0; i < w->fit.engine_count; i++)
		if (w->fit.engines[i].slots > most)
			most = w->fit.engines[i].slots;
	return most;
}

/* "find what slows 10.0.0.7:30000 (4.5 times) down" */
static void put_slow(struct buf *text, const struct what_if *w,
		     const struct workers *workers)
{
	double slowest = 1;
	size_t count = 0, which = 0;
	struct str name;

	for (size_t i = 0; i < w->fit.engine_count; i++) {
		double ratio = what_if_slowness(&w->fit, i);

		if (!w->fit.engines[i].slow)
			continue;
		count++;
		if (count > 1 && ratio <= slowest)
			continue;
		slowest = ratio;
		which = i;
	}
	name = intern_text(&workers->texts, w->model.engines[which]);
	buf_puts(text, "repair or replace ");
	if (count > 0)
		buf_put(text, name.p, name.n);
	if (count > 1)
		buf_printf(text, " and %zu more", count - 1);
	buf_printf(text, " (decode steps %.3g times as long)", slowest);
}

void what_if_put_change(struct buf *text, const struct what_if *w,
			const struct what_if_remedy *remedy,
			const struct workers *workers)
{
	const struct what_if_change *change = &remedy->change;
	uint32_t slots = change->slots > 0 ? change->slots : 2 * most_slots(w);

	switch (remedy->kind) {
	case REMEDY_CUT_P99:
	case REMEDY_CUT_P95:
	case REMEDY_CUT_P90:
	case REMEDY_CUT:
		buf_printf(text,
			   "slime --rollout-max-response-len %.0f, vLLM "
			   "max_tokens",
			   change->cut);
		break;
	case REMEDY_REWARD_MEDIAN:
		buf_puts(text, "faster rewards or a timeout in slime "
			       "--custom-rm-path");
		break;
	case REMEDY_TOOL_MEDIAN:
		buf_puts(text, "faster tools or a timeout in slime "
			       "--custom-generate-function-path");
		break;
	case REMEDY_ENGINES_EQUAL:
		put_slow(text, w, workers);
		break;
	case REMEDY_STALLS_GONE:
		buf_puts(text, "warm engines up, stop profilers; prefills: "
			       "SGLang --chunked-prefill-size");
		break;
	case REMEDY_ENGINES_X2:
		buf_puts(text, "twice slime --rollout-num-gpus");
		break;
	case REMEDY_SLOTS_X2:
	case REMEDY_SLOTS:
		buf_printf(text,
			   "SGLang --max-running-requests %u, vLLM "
			   "--max-num-seqs %u",
			   slots, slots);
		break;
	case REMEDY_STOP_AT_95:
	case REMEDY_STOP_AT_90:
		buf_puts(text, "slime --over-sampling-batch-size above "
			       "--rollout-batch-size");
		break;
	}
}

void what_if_put_cost(struct buf *text, const struct what_if *w,
		      const struct what_if_remedy *remedy)
{
	switch (remedy->kind) {
	case REMEDY_CUT_P99:
	case REMEDY_CUT_P95:
	case REMEDY_CUT_P90:
	case REMEDY_CUT:
		buf_printf(text, "loses %.2g%% of the tokens",
			   w->tokens > 0 ? 100 * remedy->tokens_lost / w->tokens
					 : 0);
		break;
	case REMEDY_TOOL_MEDIAN:
	case REMEDY_REWARD_MEDIAN:
		buf_puts(text, "a timeout loses results");
		break;
	case REMEDY_ENGINES_EQUAL:
	case REMEDY_STALLS_GONE:
		buf_puts(text, "costs no tokens or memory");
		break;
	case REMEDY_ENGINES_X2:
		buf_puts(text, "needs twice the GPUs");
		break;
	case REMEDY_SLOTS_X2:
	case REMEDY_SLOTS:
		buf_puts(text, "needs KV cache for them");
		break;
	case REMEDY_STOP_AT_95:
	case REMEDY_STOP_AT_90:
		buf_puts(text, "drops the last groups, unless "
			       "--partial-rollout resumes them");
		break;
	}
}

void what_if_put_doubt(struct buf *text, const struct what_if *w,
		       const struct what_if_remedy *remedy)
{
	double top = 0;

	if (remedy->recorded || remedy->refused[0] != '\0')
		return;
	for (size_t i = 0; i < w->fit.engine_count; i++)
		top = fmax(top, w->fit.engines[i].batch_most);
	if (remedy->kind == REMEDY_SLOTS_X2 || remedy->kind == REMEDY_SLOTS)
		buf_printf(text, "no batch above %.0f was seen", top);
	else if (remedy->kind == REMEDY_ENGINES_X2)
		buf_puts(text, "assumes even routing");
	else if (remedy->range_only)
		buf_printf(text, "stalls took %.0f%% and may not come back",
			   100 * w->stalled_part);
	else if (isnan(remedy->low))
		buf_printf(text, "%llu group%s missing; it may save more",
			   (unsigned long long)w->model.missing_groups,
			   w->model.missing_groups == 1 ? " is" : "s are");
	else if (!remedy->sure)
		buf_puts(text, "not sure");
}

const struct what_if_remedy *what_if_best(const struct what_if *w)
{
	const struct what_if_remedy *best = NULL;

	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];

		if (remedy->refused[0] != '\0' || remedy->range_only ||
		    remedy->recorded || !remedy->sure)
			continue;
		if (best == NULL || remedy->wall < best->wall)
			best = remedy;
	}
	return best;
}
