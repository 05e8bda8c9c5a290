#include "rollout/what_if/price.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

enum {
	DRAWS = 60,
	LUCK_DRAWS = 60,
	SEED_STEPS = 0x5eed0001,
	SEED_LUCK = 0x5eed0002
};

/* Uncertainty of a prediction: of steps, prefills; and beyond, these. */
static const double step_noise = 0.025;
static const double prefill_noise = 0.15;
static const double named_margin = 0.015;
static const double unnamed_margin = 0.09;

/* A remedy that saves less of the remaining wall is not worth a line. */
static const double worth = 0.02;

/* Times that differ by no more are the same. */
static const double same = 1e-12;

struct pricing {
	struct what_if *what_if;
	struct what_if_replay *replay;
	double unchanged;
	double calm; /* without stalls; the wall if there is no fit */
};

/* The rollout's time, in seconds, with a change. */
static int predict(const struct pricing *p, const struct what_if_change *change,
		   double *wall, struct err *err)
{
	if (what_if_replay_run(p->replay, NULL, change, NULL, wall, err) < 0)
		return err->code;
	/* No difference, however it is rounded. */
	if (fabs(*wall - p->unchanged) <= same * p->unchanged)
		*wall = p->unchanged;
	*wall = *wall / p->unchanged * p->what_if->model.wall;
	return 0;
}

static bool is_replayed(const struct what_if_remedy *remedy)
{
	return remedy->refused[0] == '\0' && !remedy->recorded;
}

static void widen(struct what_if_remedy *remedy, double wall)
{
	remedy->low = fmin(remedy->low, wall);
	remedy->high = fmax(remedy->high, wall);
}

/* Draws ------------------------------------------------------------------- */

/* A possible fleet that would have produced this dump: its steps, fitted to
 * some of the requests, and their error once something changes. */
struct drawn_fleet {
	struct what_if_step *steps;
	double *noises;
	struct what_if_noise noise;
	double unchanged;
};

static int draw_fleet(const struct pricing *p, struct draw *draw,
		      struct drawn_fleet *drawn, struct err *err)
{
	static const struct what_if_change none = {0};
	const struct what_if *w = p->what_if;

	if (what_if_fit_again(&w->fit, &w->model, draw, drawn->steps, err) < 0)
		return err->code;
	for (size_t i = 0; i < w->fit.engine_count; i++)
		drawn->noises[i] = exp(step_noise * draw_normal(draw));
	drawn->noise = (struct what_if_noise){
		drawn->noises, exp(prefill_noise * draw_normal(draw))};
	return what_if_replay_run(p->replay, drawn->steps, &none, NULL,
				  &drawn->unchanged, err);
}

/* Estimate all remedies on one random fleet, into one column of prices. */
static int price_fleet(const struct pricing *p, const struct drawn_fleet *drawn,
		       struct stats *prices, struct err *err)
{
	struct what_if *w = p->what_if;
	double wall;

	for (size_t i = 0; i < w->remedy_count; i++) {
		if (!is_replayed(&w->remedies[i]))
			continue;
		if (what_if_replay_run(p->replay, drawn->steps,
				       &w->remedies[i].change, &drawn->noise,
				       &wall, err) < 0)
			return err->code;
		if (!stats_add(&prices[i],
			       w->model.wall * wall / drawn->unchanged))
			return err_memory(err);
	}
	return 0;
}

static void take_interval(struct what_if_remedy *remedy, struct stats *prices)
{
	if (prices->n == 0)
		return;
	stats_sort(prices);
	widen(remedy, stats_percentile(prices, 5));
	widen(remedy, stats_percentile(prices, 95));
}

static int draw_all(const struct pricing *p, struct drawn_fleet *drawn,
		    struct stats *prices, struct err *err)
{
	struct what_if *w = p->what_if;

	for (uint32_t i = 0; i < DRAWS; i++) {
		struct draw draw = {((uint64_t)SEED_STEPS << 32) + i};

		if (draw_fleet(p, &draw, drawn, err) < 0 ||
		    price_fleet(p, drawn, prices, err) < 0)
			return err->code;
	}
	for (size_t i = 0; i < w->remedy_count; i++)
		take_interval(&w->remedies[i], &prices[i]);
	return 0;
}

static int draw_intervals(const struct pricing *p, struct err *err)
{
	struct what_if *w = p->what_if;
	size_t engines = w->fit.engine_count + 1;
	struct drawn_fleet drawn = {
		.steps = calloc(engines, sizeof(*drawn.steps)),
		.noises = calloc(engines, sizeof(*drawn.noises))};
	struct stats *prices = calloc(w->remedy_count + 1, sizeof(*prices));
	int code;

	if (drawn.steps == NULL || drawn.noises == NULL || prices == NULL)
		code = err_memory(err);
	else
		code = draw_all(p, &drawn, prices, err);
	for (size_t i = 0; prices != NULL && i < w->remedy_count; i++)
		stats_free(&prices[i]);
	free(prices);
	free(drawn.steps);
	free(drawn.noises);
	return code;
}

/* What one dump cannot tell ----------------------------------------------- */

static int widen_by(const struct pricing *p, struct what_if_remedy *remedy,
		    struct what_if_change change, struct err *err)
{
	double wall;

	if (predict(p, &change, &wall, err) < 0)
		return err->code;
	widen(remedy, wall);
	return 0;
}

/* Do stalls and slow prefills recur? Do larger batches take longer? */
static int widen_unknown(const struct pricing *p, struct what_if_remedy *remedy,
			 struct err *err)
{
	struct what_if_change change = remedy->change;
	double wall = p->what_if->model.wall;

	if (change.calm) {
		change.floor_ratio = 2;
		return widen_by(p, remedy, change, err);
	}
	if (change.slots > 0 || change.slots_ratio > 0) {
		change.top = WHAT_IF_TOP_FLAT;
		if (widen_by(p, remedy, change, err) < 0)
			return err->code;
		change.top = WHAT_IF_TOP_FULL;
		if (widen_by(p, remedy, change, err) < 0)
			return err->code;
	}
	change = remedy->change;
	change.calm = true;
	return wall - p->calm > worth * wall ? widen_by(p, remedy, change, err)
					     : 0;
}

static void finish(const struct what_if *w, struct what_if_remedy *remedy)
{
	double margin = w->model.named ? named_margin : unnamed_margin;

	margin += fabs(w->check.wall_error);
	remedy->low *= 1 - margin;
	remedy->high *= 1 + margin;
	remedy->saves = w->model.wall - remedy->wall;
	remedy->sure = remedy->high < w->model.wall;
	if (w->model.missing_groups > 0)
		remedy->low = (double)NAN;
}

/* Together ---------------------------------------------------------------- */

/* Both changes at once. */
static struct what_if_change join(const struct what_if_change *a,
				  const struct what_if_change *b)
{
	struct what_if_change c = *a;

	if (b->cut > 0)
		c.cut = c.cut > 0 ? fmin(c.cut, b->cut) : b->cut;
	if (b->caps_tool) {
		c.caps_tool = true;
		c.tool = b->tool;
	}
	if (b->caps_reward) {
		c.caps_reward = true;
		c.reward = b->reward;
	}
	c.equal |= b->equal;
	c.calm |= b->calm;
	return c;
}

/* The remedy that saves most on top of those applied. */
static int find_best(const struct pricing *p, const struct what_if_change *base,
		     const struct what_if_remedy **best, double *least,
		     struct err *err)
{
	const struct what_if *w = p->what_if;

	*best = NULL;
	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];
		struct what_if_change change = join(base, &remedy->change);
		double wall;

		if (!is_replayed(remedy) || remedy->range_only)
			continue;
		if (predict(p, &change, &wall, err) < 0)
			return err->code;
		if (*best == NULL || wall < *least) {
			*best = remedy;
			*least = wall;
		}
	}
	return 0;
}

static int stack(const struct pricing *p, struct err *err)
{
	struct what_if *w = p->what_if;
	struct what_if_change base = {0};
	double wall = w->model.wall;

	while (w->stack_count < w->remedy_count) {
		const struct what_if_remedy *best;
		double least = wall;

		if (find_best(p, &base, &best, &least, err) < 0)
			return err->code;
		if (best == NULL || !(least < (1 - worth) * wall))
			return 0;
		wall = least;
		base = join(&base, &best->change);
		w->stack[w->stack_count++] = (struct what_if_added){best, wall};
	}
	return 0;
}

/* Routing ----------------------------------------------------------------- */

static void shuffle(uint32_t *v, size_t n, struct draw *draw)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = draw_below(draw, (uint32_t)i);
		uint32_t kept = v[i - 1];

		v[i - 1] = v[k];
		v[k] = kept;
	}
}

static int draw_luck(const struct pricing *p, uint32_t *routing,
		     struct stats *walls, struct err *err)
{
	struct what_if *w = p->what_if;

	for (uint32_t i = 0; i < LUCK_DRAWS; i++) {
		struct draw draw = {((uint64_t)SEED_LUCK << 32) + i};
		struct what_if_change change = {.routing = routing};
		double wall;

		for (size_t k = 0; k < w->model.request_count; k++)
			routing[k] = w->model.requests[k].engine;
		shuffle(routing, w->model.request_count, &draw);
		if (predict(p, &change, &wall, err) < 0)
			return err->code;
		if (!stats_add(walls, wall))
			return err_memory(err);
	}
	stats_sort(walls);
	w->has_luck = true;
	w->luck_p5 = stats_percentile(walls, 5);
	w->luck_p50 = stats_percentile(walls, 50);
	w->luck_p95 = stats_percentile(walls, 95);
	return 0;
}

static int find_luck(const struct pricing *p, struct err *err)
{
	struct what_if *w = p->what_if;
	struct stats walls = {0};
	uint32_t *routing;
	int code;

	if (!w->model.named || w->fit.engine_count < 2)
		return 0;
	routing = calloc(w->model.request_count + 1, sizeof(*routing));
	code = routing == NULL ? err_memory(err)
			       : draw_luck(p, routing, &walls, err);
	free(routing);
	stats_free(&walls);
	return code;
}

/* The whole --------------------------------------------------------------- */

static int price_one(const struct pricing *p, struct what_if_remedy *remedy,
		     struct err *err)
{
	if (predict(p, &remedy->change, &remedy->wall, err) < 0)
		return err->code;
	remedy->low = remedy->high = remedy->wall;
	return p->what_if->model.named ? widen_unknown(p, remedy, err) : 0;
}

int what_if_price(struct what_if *w, struct what_if_replay *replay,
		  double unchanged, struct err *err)
{
	static const struct what_if_change calm = {.calm = true};
	struct pricing p = {w, replay, unchanged, w->model.wall};

	if (w->model.named && predict(&p, &calm, &p.calm, err) < 0)
		return err->code;
	for (size_t i = 0; i < w->remedy_count; i++)
		if (is_replayed(&w->remedies[i]) &&
		    price_one(&p, &w->remedies[i], err) < 0)
			return err->code;
	if (w->model.named && draw_intervals(&p, err) < 0)
		return err->code;
	for (size_t i = 0; i < w->remedy_count; i++)
		if (is_replayed(&w->remedies[i]))
			finish(w, &w->remedies[i]);
	if (stack(&p, err) < 0)
		return err->code;
	return find_luck(&p, err);
}
