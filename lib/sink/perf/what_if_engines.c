/*
 * What the model says of the engines: when they stalled, which are slow,
 * and how well it reproduces the rollout.
 */
#include <math.h>

#include "base/limits.h"
#include "rollout/what_if/advice.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"

enum { LINE = 100, ENGINES_SHOWN = 4, STALLS_SHOWN = 3 };

static double stalled_of(const struct what_if *w, size_t engine)
{
	return what_if_stalled_time(&w->fit.engines[engine]);
}

static double slowness_of(const struct what_if *w, size_t engine)
{
	return w->fit.engines[engine].slow ? what_if_slowness(&w->fit, engine)
					   : 0;
}

/* The engines with the largest values above 0, the largest first: at most
 * ENGINES_SHOWN of the *count that there are. Returns how many. */
static size_t find_engines(const struct what_if *w,
			   double (*value_of)(const struct what_if *, size_t),
			   size_t found[ENGINES_SHOWN], size_t *count)
{
	size_t n = 0;

	*count = 0;
	for (size_t i = 0; w->check.fits && i < w->fit.engine_count; i++) {
		double value = value_of(w, i);
		size_t at = n;

		if (!(value > 0))
			continue;
		++*count;
		while (at > 0 && value_of(w, found[at - 1]) < value)
			at--;
		if (at == ENGINES_SHOWN)
			continue;
		n += n < ENGINES_SHOWN;
		for (size_t k = n - 1; k > at; k--)
			found[k] = found[k - 1];
		found[at] = i;
	}
	return n;
}

static void put_name(struct buf *line, const struct digest *digest,
		     size_t engine)
{
	table_escape_name(line,
			  intern_text(&digest->workers.texts,
				      digest->what_if->model.engines[engine]));
}

/* What went wrong, in short -------------------------------------------- */

static void put_more(struct buf *line, size_t count)
{
	if (count > 1)
		buf_printf(line, " and %zu more", count - 1);
}

/* Without steps of engines, as for prefill and decode apart: "10.0.0.4:30000 is
 * slow (41.6 ms per token with prefill, others 20.8 ms); ", where the sample ran
 * that ended last. */
static void put_slow_worker(struct buf *line, const struct digest *digest)
{
	const struct what_if *w = digest->what_if;
	uint32_t number = digest->store.rows[w->bill.place].worker;

	if (w->check.fits || number == ROW_NO_WORKER ||
	    !digest->workers.v[number].slow)
		return;
	table_escape_name(line, intern_text(&digest->workers.texts, number));
	buf_printf(line,
		   " is slow (%.3g ms per token with prefill, others %.3g "
		   "ms); ",
		   1000 * digest->workers.v[number].token_time,
		   1000 * digest->workers.usual);
}

void what_if_put_trouble(struct buf *line, const struct digest *digest)
{
	const struct what_if *w = digest->what_if;
	size_t found[ENGINES_SHOWN], count;
	bool stalled = w->stalled_part > WHAT_IF_STALLED_MOST;

	if (stalled && find_engines(w, stalled_of, found, &count) > 0) {
		put_name(line, digest, found[0]);
		buf_puts(line, " stalled for ");
		what_if_put_seconds(line, stalled_of(w, found[0]));
		buf_puts(line, " s of it; ");
	}
	if (!w->check.ok && find_engines(w, slowness_of, found, &count) > 0) {
		put_name(line, digest, found[0]);
		put_more(line, count);
		buf_puts(line, count > 1 ? " are slow; " : " is slow; ");
	}
	put_slow_worker(line, digest);
}

/* Stalls ---------------------------------------------------------------- */

/* Is stall a before stall b: longer, or as long and earlier? */
static bool precedes(const struct what_if_stall *v, size_t a, size_t b)
{
	if (v[a].length != v[b].length)
		return v[a].length > v[b].length;
	return a < b;
}

/* The index of the stall that is next in order of length after the stall
 * `before`; SIZE_MAX: the first. */
static size_t longest_after(const struct what_if_engine *engine, size_t before)
{
	const struct what_if_stall *stalls = engine->stalls;
	size_t next = SIZE_MAX;

	for (size_t i = 0; i < engine->stall_count; i++) {
		if (before != SIZE_MAX && !precedes(stalls, before, i))
			continue;
		if (next == SIZE_MAX || precedes(stalls, i, next))
			next = i;
	}
	return next;
}

/* "10.0.0.4:30000 stalled for 6.98 s: 5.62 s from 0.97 s, ..." */
static int put_stalls(struct out *out, const struct digest *digest,
		      size_t number, struct err *err)
{
	const struct what_if *w = digest->what_if;
	const struct what_if_engine *engine = &w->fit.engines[number];
	struct buf line = buf_new(LIMIT_STRING);
	size_t at = SIZE_MAX;

	put_name(&line, digest, number);
	buf_puts(&line, " stalled for ");
	what_if_put_seconds(&line, stalled_of(w, number));
	buf_puts(&line, " s");
	for (size_t i = 0; i < STALLS_SHOWN && i < engine->stall_count; i++) {
		at = longest_after(engine, at);
		if (engine->stall_count > 1) {
			buf_puts(&line, i == 0 ? ": " : ", ");
			what_if_put_seconds(&line, engine->stalls[at].length);
			buf_puts(&line, " s");
		}
		buf_puts(&line, " from ");
		what_if_put_seconds(&line, engine->stalls[at].at);
		buf_puts(&line, " s");
	}
	if (engine->stall_count > STALLS_SHOWN)
		buf_printf(&line, ", and %zu shorter",
			   engine->stall_count - STALLS_SHOWN);
	return table_put_wrapped(&line, LINE, out, err);
}

static int put_all_stalls(struct out *out, const struct digest *digest,
			  struct err *err)
{
	size_t found[ENGINES_SHOWN], count;
	size_t n = find_engines(digest->what_if, stalled_of, found, &count);
	struct buf line = buf_new(LIMIT_STRING);

	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (put_stalls(out, digest, found[i], err) < 0)
			return err->code;
	if (count > n)
		buf_printf(&line, "%zu more engines stalled; ", count - n);
	buf_puts(&line, "times count from the start of the rollout; in a stall "
			"no request on the engine gets a token: look for "
			"warm-up, a profiler or a weight update");
	return table_put_wrapped(&line, LINE, out, err);
}

/* Slow engines ---------------------------------------------------------- */

/* "10.0.0.4:30000 is slow: a decode step takes 20.3 ms, 1.66 times the 12.2 ms of
 * 10.0.0.1:30000" */
static int put_slow(struct out *out, const struct digest *digest, size_t engine,
		    struct err *err)
{
	const struct what_if_fit *fit = &digest->what_if->fit;
	struct buf line = buf_new(LIMIT_STRING);

	put_name(&line, digest, engine);
	buf_printf(&line,
		   " is slow: a decode step takes %.3g ms, %.3g times the %.3g "
		   "ms of ",
		   1000 * what_if_usual_step(fit, engine),
		   what_if_slowness(fit, engine),
		   1000 * what_if_usual_step(fit, fit->reference));
	put_name(&line, digest, fit->reference);
	return table_put_wrapped(&line, LINE, out, err);
}

static int put_all_slow(struct out *out, const struct digest *digest,
			struct err *err)
{
	size_t found[ENGINES_SHOWN], count;
	size_t n = find_engines(digest->what_if, slowness_of, found, &count);
	struct buf line = buf_new(LIMIT_STRING);

	for (size_t i = 0; i < n; i++)
		if (put_slow(out, digest, found[i], err) < 0)
			return err->code;
	if (count <= n)
		return 0;
	buf_printf(&line, "%zu more engines are slow", count - n);
	return table_put_wrapped(&line, LINE, out, err);
}

int what_if_put_engines(struct out *out, const struct digest *digest,
			struct err *err)
{
	const struct what_if_remedy *best = what_if_best(digest->what_if);
	bool named = best != NULL && best->kind == REMEDY_ENGINES_EQUAL;

	if (put_all_stalls(out, digest, err) < 0)
		return err->code;
	return named ? 0 : put_all_slow(out, digest, err);
}

/* The model ------------------------------------------------------------- */

static void put_fleet(struct buf *line, const struct what_if *w)
{
	size_t engines = w->model.engine_count;

	if (!w->model.all_named)
		buf_puts(line, ", engines not named");
	else
		buf_printf(line, " on %zu engine%s", engines,
			   str_plural(engines));
	if (what_if_slots(w) > 0)
		buf_printf(line, " of %u slot%s", what_if_slots(w),
			   str_plural(what_if_slots(w)));
	if (w->model.pd)
		buf_puts(line, ", prefill and decode disaggregated");
	if (w->model.client_limit > 0)
		buf_printf(line, ", at most %u generating at once",
			   w->model.client_limit);
}

/* "; replayed unchanged: wall within 0.1%, ends within 0.004 s"; or what is too
 * much of it. Durations that are not modeled are right by themselves. */
static void put_errors(struct buf *line, const struct what_if *w)
{
	const struct what_if_check *check = &w->check;
	double wall = check->wall_error, ends = check->end_error_p95;

	buf_printf(line, "; replayed %s: wall ",
		   w->model.pd ? "with each request's recorded duration"
			       : "unchanged");
	if (fabs(wall) <= check->wall_limit)
		buf_printf(line, "within %.1f%%", fmax(100 * fabs(wall), 0.1));
	else
		buf_printf(line, "%.0f%% too %s (limit %.0f%%)",
			   100 * fabs(wall), wall < 0 ? "short" : "long",
			   100 * check->wall_limit);
	buf_puts(line, ", ends within ");
	what_if_put_seconds(line, fmax(ends, 1e-3));
	buf_puts(line, " s");
	if (ends <= check->end_limit)
		return;
	buf_puts(line, " (limit ");
	what_if_put_seconds(line, check->end_limit);
	buf_puts(line, " s)");
}

/* "128 answers on 2 engines of 16 slots; replayed unchanged, ..." */
int what_if_put_check(struct out *out, const struct digest *digest,
		      struct err *err)
{
	const struct what_if *w = digest->what_if;
	struct buf line = buf_new(LIMIT_STRING);

	buf_printf(&line, "%zu answer%s", w->model.request_count,
		   str_plural(w->model.request_count));
	put_fleet(&line, w);
	put_errors(&line, w);
	return table_put_wrapped(&line, LINE, out, err);
}
