#include "rollout/what_if/what_if.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "rollout/what_if/price.h"
#include "rollout/what_if/remedies.h"

enum { REQUESTS_MIN = 8 };

/* Above these the model does not describe the rollout. */
static const double most_fit_error = 0.15;
static const double most_wall_error = 0.05;
static const double most_end_error = 0.1; /* of the wall */

/* A sample that starts after this fraction of the wall is late; if more than
 * this fraction of them are late, it is not one batch. */
static const double late_start = 0.05;
static const double most_late = 0.1;

void what_if_set_speeds(const struct what_if *what_if, struct workers *workers)
{
	const struct what_if_fit *fit = &what_if->fit;

	if (!what_if->check.fits)
		return;
	for (uint32_t i = 0; i < workers->texts.count; i++) {
		workers->v[i].token_time = (double)NAN;
		workers->v[i].slow = false;
	}
	for (size_t i = 0; i < fit->engine_count; i++) {
		uint32_t number = what_if->model.engines[i];

		workers->v[number].token_time = what_if_usual_step(fit, i);
		workers->v[number].slow = fit->engines[i].slow;
	}
	workers->usual = what_if_usual_step(fit, fit->reference);
	workers->by_steps = true;
}

void what_if_free(struct what_if *what_if)
{
	if (what_if == NULL)
		return;
	what_if_model_free(&what_if->model);
	what_if_fit_free(&what_if->fit);
	free(what_if);
}

int what_if_add_figures(const struct what_if *w, struct figures *figures,
			struct err *err)
{
	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];
		char key[sizeof(WHAT_IF_KEY) + sizeof(remedy->id) + 8];

		if (remedy->refused[0] != '\0' || remedy->range_only)
			continue;
		snprintf(key, sizeof(key), WHAT_IF_KEY "%s/saves", remedy->id);
		if (figures_add(figures,
				(struct figure){.key = key,
						.value = remedy->saves /
							 w->model.wall},
				err) < 0)
			return err->code;
	}
	return 0;
}

static void __attribute__((format(printf, 2, 3)))
refuse(struct what_if_check *check, const char *format, ...)
{
	va_list args;

	if (check->refused_count == WHAT_IF_REFUSED_MAX)
		return;
	va_start(args, format);
	vsnprintf(check->refused[check->refused_count++], WHAT_IF_TEXT_MAX,
		  format, args);
	va_end(args);
	check->ok = false;
}

static void check_model(struct what_if *w)
{
	const struct what_if_model *model = &w->model;
	size_t late = 0;

	if (model->open_spans > 0)
		refuse(&w->check, "the rollout was not over: %llu open span%s",
		       (unsigned long long)model->open_spans,
		       model->open_spans == 1 ? "" : "s");
	if (model->without_tokens > 0)
		refuse(&w->check,
		       "%llu generation span%s without completion_tokens",
		       (unsigned long long)model->without_tokens,
		       model->without_tokens == 1 ? "" : "s");
	for (size_t i = 0; i < model->sample_count; i++)
		late += model->samples[i].start > late_start * model->wall;
	if ((double)late > most_late * (double)model->sample_count)
		refuse(&w->check,
		       "%zu sample%s late: it is not one batch; ask for "
		       "throughput instead",
		       late, late == 1 ? " starts" : "s start");
}

static void check_fit(struct what_if *w)
{
	size_t least = SIZE_MAX;

	if (!w->model.named)
		return;
	for (size_t i = 0; i < w->fit.engine_count; i++)
		if (w->fit.engines[i].request_count < least)
			least = w->fit.engines[i].request_count;
	if (least < REQUESTS_MIN)
		refuse(&w->check,
		       "an engine has only %zu request%s; it needs 8", least,
		       least == 1 ? "" : "s");
	w->check.fit_error = what_if_fit_error(&w->fit);
	w->check.fits = least >= REQUESTS_MIN &&
			w->check.fit_error <= most_fit_error;
	if (!(w->check.fit_error <= most_fit_error))
		refuse(&w->check, "steps do not follow the batch: waves, "
				  "static batching or a profiler");
}

/* The error of the samples' ends compared with the recorded ones. */
static int measure_ends(struct what_if *w, const double *ends, struct err *err)
{
	struct stats errors = {0};
	bool good = true;

	for (size_t i = 0; good && i < w->model.sample_count; i++)
		good = stats_add(&errors,
				 fabs(ends[i] - w->model.samples[i].end));
	if (good && errors.n > 0) {
		stats_sort(&errors);
		w->check.end_error_median = stats_median(&errors);
		w->check.end_error_p95 = stats_percentile(&errors, 95);
	}
	stats_free(&errors);
	return good ? 0 : err_memory(err);
}

static int check_replay(struct what_if *w, struct what_if_replay *replay,
			double *unchanged, struct err *err)
{
	static const struct what_if_change none = {0};
	double wall = w->model.wall;

	w->check.wall_limit = most_wall_error;
	w->check.end_limit = most_end_error * wall;
	if (what_if_replay_run(replay, NULL, &none, NULL, unchanged, err) < 0 ||
	    measure_ends(w, what_if_replay_ends(replay), err) < 0)
		return err->code;
	w->check.wall_error = *unchanged / wall - 1;
	if (!(fabs(w->check.wall_error) <= w->check.wall_limit) ||
	    !(w->check.end_error_p95 <= w->check.end_limit))
		refuse(&w->check,
		       "the model does not reproduce the recorded times");
	return 0;
}

static int price(struct what_if *w, const struct what_if_plan *plan,
		 struct what_if_replay *replay, struct err *err)
{
	const char *reason = NULL;
	double unchanged;

	check_model(w);
	check_fit(w);
	if (check_replay(w, replay, &unchanged, err) < 0)
		return err->code;
	if (w->check.refused_count > 0)
		reason = w->check.refused[0];
	if (what_if_list_remedies(w, plan, reason, err) < 0)
		return err->code;
	return w->check.ok ? what_if_price(w, replay, unchanged, err) : 0;
}

static int make(struct what_if *w, const struct what_if_plan *plan,
		struct err *err)
{
	const struct what_if_fit *fit = w->model.named ? &w->fit : NULL;
	struct what_if_replay *replay;
	int code;

	w->check = (struct what_if_check){.fit_error = (double)NAN, .ok = true};
	for (size_t i = 0; i < w->model.request_count; i++)
		w->tokens += w->model.requests[i].tokens;
	if (fit != NULL && what_if_fit_make(&w->fit, &w->model, err) < 0)
		return err->code;
	w->stalled_part = what_if_stalled_part(&w->fit, w->model.wall);
	if (what_if_bill_make(&w->bill, &w->model, fit, err) < 0)
		return err->code;
	w->bounds = what_if_bounds(&w->model, fit);
	replay = what_if_replay_new(&w->model, fit, err);
	if (replay == NULL)
		return err->code;
	code = price(w, plan, replay, err);
	what_if_replay_free(replay);
	return code;
}

struct what_if *what_if_make(const struct what_if_plan *plan,
			     const struct row_store *store,
			     const struct span_names *names,
			     const struct answers *answers,
			     const struct workers *workers, struct err *err)
{
	struct what_if *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return err_no_memory(err);
	if (what_if_model_make(&w->model, store, names, answers, workers, err) <
	    0) {
		what_if_free(w);
		return NULL;
	}
	if (w->model.request_count == 0 || !(w->model.wall > 0))
		snprintf(w->refused, sizeof(w->refused),
			 w->model.request_count == 0
				 ? "no closed generation spans"
				 : "the rollout takes no time");
	else if (make(w, plan, err) < 0) {
		what_if_free(w);
		return NULL;
	}
	return w;
}
