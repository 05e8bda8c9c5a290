#include "rollout/what_if/prefills.h"

#include "base/stats.h"

enum { FLOOR_PERCENT = 10 };

static const double thousand = 1000;

/* The line of prefill over tokens, if it is plausible. */
static void draw_line(const struct what_if_fit *fit,
		      const struct what_if_model *model,
		      struct what_if_engine *engine)
{
	double n = (double)engine->request_count;
	double x = 0, y = 0, xx = 0, xy = 0, slope;

	for (size_t i = 0; i < engine->request_count; i++) {
		double fresh = model->requests[engine->requests[i]].fresh;
		double prefill = fit->work[engine->requests[i]].prefill;

		x += fresh / n;
		y += prefill / n;
		xx += fresh * fresh / n;
		xy += fresh * prefill / n;
	}
	slope = xx - x * x > 1e-9 * xx ? (xy - x * y) / (xx - x * x) : 0;
	engine->mean_prefill = y;
	engine->floor = y - slope * x;
	engine->floor_a_token = slope;
	if (slope < 0 || engine->floor < 0) {
		engine->floor = y;
		engine->floor_a_token = 0;
	}
}

/* Lower the line to the quickest tenth. */
static int lower_line(const struct what_if_fit *fit,
		      const struct what_if_model *model,
		      struct what_if_engine *engine, struct err *err)
{
	struct stats ratios = {0};
	double ratio = 1;
	bool good = true;

	for (size_t i = 0; good && i < engine->request_count; i++) {
		uint32_t request = engine->requests[i];
		double line =
			engine->floor +
			engine->floor_a_token * model->requests[request].fresh;

		if (line > 0)
			good = stats_add(&ratios,
					 fit->work[request].prefill / line);
	}
	if (good && ratios.n > 0) {
		stats_sort(&ratios);
		ratio = stats_percentile(&ratios, FLOOR_PERCENT);
	}
	stats_free(&ratios);
	engine->floor *= ratio;
	engine->floor_a_token *= ratio;
	return good ? 0 : err_memory(err);
}

int what_if_find_prefills(const struct what_if_fit *fit,
			  const struct what_if_model *model,
			  struct what_if_engine *engine, struct err *err)
{
	for (size_t i = 0; fit->mixed && i < engine->request_count; i++) {
		uint32_t request = engine->requests[i];

		fit->work[request].prefill = engine->step.d *
					     model->requests[request].fresh /
					     thousand;
	}
	draw_line(fit, model, engine);
	return lower_line(fit, model, engine, err);
}
