#include "rollout/what_if/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/stats.h"
#include "rollout/what_if/cuts.h"
#include "rollout/what_if/prefills.h"
#include "rollout/what_if/regress.h"
#include "rollout/what_if/slots.h"
#include "rollout/what_if/stalls.h"

enum { ROUNDS = 12, LOW_ROUNDS = 9 };

/* Stalls only ever add time: most rounds use only the quicker requests. */
static const double low_quantile = 0.2;
static const double median_quantile = 0.5;

/* Prefills are assumed to block decoding unless that fits worse than prefills
 * inside steps, by this factor. */
static const double clearly_worse = 1.5;

static const double slow_engine = 1.15;

/* Columns of an engine's requests, for the regression. */
struct columns {
	double *y, *weights, *batch, *cache, *others, *scratch;
	double *memory;
};

/* Columns ---------------------------------------------------------------- */

static int columns_make(struct columns *c, size_t n, struct err *err)
{
	c->memory = calloc(7 * n + 1, sizeof(*c->memory));
	if (c->memory == NULL)
		return err_memory(err);
	c->y = c->memory;
	c->weights = c->y + n;
	c->batch = c->weights + n;
	c->cache = c->batch + n;
	c->others = c->cache + n;
	c->scratch = c->others + n;
	return 0;
}

/* The requests of an engine that inform about its steps; their weights, or
 * NULL: 1. */
static size_t fill(const struct columns *c, const struct what_if_fit *fit,
		   const struct what_if_model *model,
		   const struct what_if_engine *engine, const uint32_t *times)
{
	size_t n = 0;

	for (size_t i = 0; i < engine->request_count; i++) {
		uint32_t request = engine->requests[i];
		const struct what_if_work *work = &fit->work[request];
		double steps = model->requests[request].steps;

		if (!(steps > 0 && work->free > 0))
			continue;
		if (times != NULL && times[i] == 0)
			continue;
		c->y[n] = work->free / steps;
		c->weights[n] = steps * (times == NULL ? 1 : times[i]);
		c->batch[n] = work->batch;
		c->cache[n] = work->cache;
		c->others[n++] = work->others;
	}
	return n;
}

static bool regress(const struct columns *c, size_t n, bool mixed,
		    double quantile, struct what_if_step *step)
{
	const struct regression r = {.n = n,
				     .y = c->y,
				     .columns = {c->batch, c->cache,
						 mixed ? c->others : NULL},
				     .weights = c->weights,
				     .scratch = c->scratch};
	double x[REGRESS_COLUMNS];

	if (!regress_quantile(&r, quantile, x))
		return false;
	*step = (struct what_if_step){x[0], x[1], x[2], x[3]};
	return true;
}

/* One engine -------------------------------------------------------------- */

/* The data on each request from the cuts. */
static void measure(const struct what_if_fit *fit,
		    const struct what_if_model *model,
		    const struct what_if_engine *engine,
		    const struct cuts *cuts)
{
	for (size_t i = 0; i < engine->request_count; i++) {
		uint32_t request = engine->requests[i];
		struct what_if_work *work = &fit->work[request];
		const struct cut_span *span = &cuts->spans[i];
		const struct cut *from = &cuts->v[span->first_token];
		const struct cut *to = &cuts->v[span->end];
		double steps = to->steps - from->steps;
		double own = model->requests[request].steps;

		work->free = to->free - from->free;
		work->batch = steps > 0 ? (to->batches - from->batches) / steps
					: 1;
		work->cache = steps > 0 ? (to->caches - from->caches) / steps
					: 0;
		work->others = own > 0 ? (to->fresh - from->fresh) / own : 0;
		work->prefill = from->prefills - cuts->v[span->start].prefills;
	}
}

/* Seconds of a request that its steps do not explain. */
static double late_by(const struct what_if_engine *engine,
		      const struct what_if_work *work, double steps)
{
	return work->free -
	       steps * (what_if_step_time(&engine->step, work->batch,
					  work->cache) +
			engine->step.d * work->others);
}

static int find_stalls(const struct what_if_fit *fit,
		       const struct what_if_model *model,
		       struct what_if_engine *engine, const struct cuts *cuts,
		       const struct columns *c, struct err *err)
{
	for (size_t i = 0; i < engine->request_count; i++) {
		uint32_t request = engine->requests[i];

		c->y[i] = late_by(engine, &fit->work[request],
				  model->requests[request].steps);
	}
	return what_if_find_stalls(engine, cuts, c->y, model->wall, err);
}

/* Fit its step, and find its stalls. */
static int fit_rounds(const struct what_if_fit *fit,
		      const struct what_if_model *model,
		      struct what_if_engine *engine, struct cuts *cuts,
		      const struct columns *c, struct err *err)
{
	struct what_if_step step = {1, 1 / (double)engine->request_count, 0, 0};
	int found;

	for (int round = 1; round <= ROUNDS; round++) {
		double quantile = round > LOW_ROUNDS ? median_quantile
						     : low_quantile;

		cuts_sum_steps(cuts, &step);
		measure(fit, model, engine, cuts);
		if (!regress(c, fill(c, fit, model, engine, NULL), fit->mixed,
			     quantile, &engine->step))
			return 0;
		step = engine->step;
		if (round != 6 && round != LOW_ROUNDS)
			continue;
		found = find_stalls(fit, model, engine, cuts, c, err);
		if (found < 0 || (found > 0 && cuts_make(cuts, model, engine,
							 fit->mixed, err) < 0))
			return err->code;
	}
	cuts_sum_steps(cuts, &step);
	measure(fit, model, engine, cuts);
	return 0;
}

static void judge(const struct what_if_fit *fit,
		  const struct what_if_model *model,
		  struct what_if_engine *engine)
{
	double sum = 0, all = 0;

	engine->batch_least = INFINITY;
	engine->batch_most = 0;
	for (size_t i = 0; i < engine->request_count; i++) {
		uint32_t request = engine->requests[i];
		const struct what_if_work *work = &fit->work[request];
		double steps = model->requests[request].steps;
		double late = late_by(engine, work, steps) / work->free;

		if (!(steps > 0 && work->free > 0))
			continue;
		sum += steps * late * late;
		all += steps;
		engine->batch_least = fmin(engine->batch_least, work->batch);
		engine->batch_most = fmax(engine->batch_most, work->batch);
	}
	engine->error = all > 0 ? sqrt(sum / all) : 0;
	engine->batch_least = fmin(engine->batch_least, engine->batch_most);
}

static int fit_engine(const struct what_if_fit *fit,
		      const struct what_if_model *model,
		      struct what_if_engine *engine, struct err *err)
{
	struct columns columns = {0};
	struct cuts cuts = {0};
	int code = columns_make(&columns, engine->request_count, err);

	if (code == 0)
		code = cuts_make(&cuts, model, engine, fit->mixed, err);
	if (code == 0)
		code = fit_rounds(fit, model, engine, &cuts, &columns, err);
	if (code == 0)
		judge(fit, model, engine);
	cuts_free(&cuts);
	free(columns.memory);
	return code;
}

/* All engines ------------------------------------------------------------- */

void what_if_fit_free(struct what_if_fit *fit)
{
	for (size_t i = 0; i < fit->engine_count; i++) {
		free(fit->engines[i].requests);
		free(fit->engines[i].stalls);
	}
	free(fit->engines);
	free(fit->work);
	*fit = (struct what_if_fit){0};
}

/* Each engine with its requests. */
static int begin_fit(struct what_if_fit *fit, const struct what_if_model *model,
		     struct err *err)
{
	*fit = (struct what_if_fit){0};
	fit->engines = calloc(model->engine_count + 1, sizeof(*fit->engines));
	fit->work = calloc(model->request_count + 1, sizeof(*fit->work));
	if (fit->engines == NULL || fit->work == NULL)
		return err_memory(err);
	fit->engine_count = model->engine_count;
	for (size_t i = 0; i < model->request_count; i++)
		fit->engines[model->requests[i].engine].request_count++;
	for (size_t i = 0; i < fit->engine_count; i++) {
		struct what_if_engine *engine = &fit->engines[i];

		engine->requests = calloc(engine->request_count + 1,
					  sizeof(*engine->requests));
		if (engine->requests == NULL)
			return err_memory(err);
		engine->request_count = 0;
	}
	for (uint32_t i = 0; i < model->request_count; i++) {
		const struct what_if_request *r = &model->requests[i];
		struct what_if_engine *engine = &fit->engines[r->engine];

		engine->requests[engine->request_count++] = i;
		engine->tokens += r->tokens;
		engine->ends = fmax(engine->ends, r->end);
	}
	return 0;
}

/* Fit all in one mode; *error is for comparing the modes. */
static int fit_all(struct what_if_fit *fit, const struct what_if_model *model,
		   bool mixed, double *error, struct err *err)
{
	*error = 0;
	if (begin_fit(fit, model, err) < 0)
		return err->code;
	fit->mixed = mixed;
	for (size_t i = 0; i < fit->engine_count; i++) {
		struct what_if_engine *engine = &fit->engines[i];

		if (fit_engine(fit, model, engine, err) < 0)
			return err->code;
		*error += engine->error * engine->error *
			  (double)engine->request_count;
	}
	return 0;
}

double what_if_usual_step(const struct what_if_fit *fit, size_t engine)
{
	return what_if_step_time(&fit->engines[engine].step, fit->batch,
				 fit->cache);
}

double what_if_slowness(const struct what_if_fit *fit, size_t engine)
{
	double usual = what_if_usual_step(fit, fit->reference);

	return usual > 0 ? what_if_usual_step(fit, engine) / usual : 1;
}

/* The median batch and cache over all requests that decoded. */
static int typical(const struct what_if_fit *fit,
		   const struct what_if_model *model, double *batch,
		   double *cache, struct err *err)
{
	struct stats batches = {0}, caches = {0};
	bool good = true;

	for (size_t i = 0; good && i < model->request_count; i++)
		if (model->requests[i].steps > 0)
			good = stats_add(&batches, fit->work[i].batch) &&
			       stats_add(&caches, fit->work[i].cache);
	*batch = *cache = 0;
	if (good && batches.n > 0) {
		stats_sort(&batches);
		stats_sort(&caches);
		*batch = stats_median(&batches);
		*cache = stats_median(&caches);
	}
	stats_free(&batches);
	stats_free(&caches);
	return good ? 0 : err_memory(err);
}

/* The longest of the engines' sorted times that is not above the usual one: the
 * reference is an engine that exists. */
static double reference_time(const struct stats *times)
{
	double usual = stats_usual(times);
	size_t i = times->n - 1;

	while (i > 0 && times->v[i] > usual)
		i--;
	return times->v[i];
}

/* Find the median engine, and those slower by more than the threshold. */
static int find_slow(struct what_if_fit *fit, const struct what_if_model *model,
		     struct err *err)
{
	struct stats sorted = {0};
	double usual, reference;

	if (typical(fit, model, &fit->batch, &fit->cache, err) < 0)
		return err->code;
	for (size_t i = 0; i < fit->engine_count; i++)
		if (!stats_add(&sorted, what_if_usual_step(fit, i))) {
			stats_free(&sorted);
			return err_memory(err);
		}
	stats_sort(&sorted);
	usual = sorted.n > 0 ? stats_usual(&sorted) : 0;
	reference = sorted.n > 0 ? reference_time(&sorted) : 0;
	for (size_t i = fit->engine_count; i-- > 0;) {
		double time = what_if_usual_step(fit, i);

		fit->engines[i].slow = time > slow_engine * usual;
		if (time == reference)
			fit->reference = (uint32_t)i;
	}
	stats_free(&sorted);
	return 0;
}

static int finish_fit(struct what_if_fit *fit,
		      const struct what_if_model *model, struct err *err)
{
	for (size_t i = 0; i < fit->engine_count; i++) {
		struct what_if_engine *engine = &fit->engines[i];

		if (what_if_find_prefills(fit, model, engine, err) < 0 ||
		    what_if_find_slots(engine, model, err) < 0)
			return err->code;
	}
	return find_slow(fit, model, err);
}

int what_if_fit_make(struct what_if_fit *fit, const struct what_if_model *model,
		     struct err *err)
{
	struct what_if_fit mixed;
	double held_error, mixed_error;
	int code = fit_all(fit, model, false, &held_error, err);

	if (code < 0)
		return code;
	code = fit_all(&mixed, model, true, &mixed_error, err);
	if (code == 0 && held_error > clearly_worse * mixed_error) {
		struct what_if_fit held = *fit;

		*fit = mixed;
		mixed = held;
	}
	what_if_fit_free(&mixed);
	return code < 0 ? code : finish_fit(fit, model, err);
}

/* Once more --------------------------------------------------------------- */

static int fit_engine_again(const struct what_if_fit *fit,
			    const struct what_if_model *model,
			    const struct what_if_engine *engine,
			    struct draw *draw, struct what_if_step *step,
			    struct err *err)
{
	size_t n = engine->request_count;
	uint32_t *times = calloc(n + 1, sizeof(*times));
	struct columns columns = {0};
	int code = columns_make(&columns, n, err);

	*step = engine->step;
	if (times == NULL)
		code = err_memory(err);
	for (size_t i = 0; code == 0 && i < n; i++)
		times[draw_below(draw, (uint32_t)n)]++;
	if (code == 0)
		regress(&columns, fill(&columns, fit, model, engine, times),
			fit->mixed, median_quantile, step);
	free(columns.memory);
	free(times);
	return code;
}

int what_if_fit_again(const struct what_if_fit *fit,
		      const struct what_if_model *model, struct draw *draw,
		      struct what_if_step *steps, struct err *err)
{
	for (size_t i = 0; i < fit->engine_count; i++)
		if (fit_engine_again(fit, model, &fit->engines[i], draw,
				     &steps[i], err) < 0)
			return err->code;
	return 0;
}

/* What it tells ----------------------------------------------------------- */

double what_if_fit_error(const struct what_if_fit *fit)
{
	double error = 0;

	for (size_t i = 0; i < fit->engine_count; i++)
		error = fmax(error, fit->engines[i].error);
	return error;
}

double what_if_stalled_time(const struct what_if_engine *engine)
{
	double stalled = 0;

	for (size_t i = 0; i < engine->stall_count; i++)
		stalled += engine->stalls[i].length;
	return stalled;
}

double what_if_stalled_part(const struct what_if_fit *fit, double wall)
{
	double most = 0;

	for (size_t i = 0; i < fit->engine_count; i++)
		most = fmax(most, what_if_stalled_time(&fit->engines[i]));
	return wall > 0 ? most / wall : 0;
}
