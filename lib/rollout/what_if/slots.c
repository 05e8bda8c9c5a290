#include "rollout/what_if/slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

static const double least_time = 0.01;	 /* of the wall, with requests
					  * waiting */
static const double most_unknown = 0.05; /* fraction of the queue times */
static const double steady_part = 0.85;	 /* 10th percentile divided by median */

/* Waiting for the current steps and a long prefill is not queueing. */
static const double steps_under_way = 3;

struct slots_mark {
	double at;
	int8_t running, waiting, prefilling;
};

static int by_time(const void *x, const void *y)
{
	const struct slots_mark *a = x;
	const struct slots_mark *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

/* 90th percentile of the time from start to first token; NaN: no memory. */
static double long_prefill(const struct what_if_engine *engine,
			   const struct what_if_model *model)
{
	struct stats times = {0};
	double p90 = (double)NAN;
	bool good = true;

	for (size_t i = 0; good && i < engine->request_count; i++) {
		const struct what_if_request *r =
			&model->requests[engine->requests[i]];

		good = stats_add(&times, r->first_token - r->start);
	}
	if (good && times.n > 0) {
		stats_sort(&times);
		p90 = stats_percentile(&times, 90);
	}
	stats_free(&times);
	return p90;
}

static size_t list_marks(const struct what_if_engine *engine,
			 const struct what_if_model *model, double grace,
			 struct slots_mark *marks)
{
	struct slots_mark *mark = marks;

	for (size_t i = 0; i < engine->request_count; i++) {
		const struct what_if_request *r =
			&model->requests[engine->requests[i]];

		*mark++ = (struct slots_mark){r->start, 1, 0, 1};
		*mark++ = (struct slots_mark){r->first_token, 0, 0, -1};
		*mark++ = (struct slots_mark){r->end, -1, 0, 0};
		if (r->in + grace >= r->start)
			continue;
		*mark++ = (struct slots_mark){r->in + grace, 0, 1, 0};
		*mark++ = (struct slots_mark){r->start, 0, -1, 0};
	}
	qsort(marks, (size_t)(mark - marks), sizeof(*marks), by_time);
	return (size_t)(mark - marks);
}

/* The time with each number running while some wait. Returns the total. */
static double sum_times(const struct slots_mark *marks, size_t n, double *times)
{
	int64_t running = 0, waiting = 0, prefilling = 0;
	double all = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		double time = marks[i + 1].at - marks[i].at;

		running += marks[i].running;
		waiting += marks[i].waiting;
		prefilling += marks[i].prefilling;
		if (waiting <= 0 || prefilling > 0 || running < 0)
			continue;
		times[running] += time;
		all += time;
	}
	return all;
}

/* The smallest number that, with those below it, covers this time. */
static uint32_t number_at(const double *times, size_t n, double time)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += times[i];
		if (sum >= time && sum > 0)
			return i;
	}
	return 0;
}

int what_if_find_slots(struct what_if_engine *engine,
		       const struct what_if_model *model, struct err *err)
{
	size_t n = engine->request_count, unknown = 0;
	struct slots_mark *marks = calloc(5 * n + 1, sizeof(*marks));
	double *times = calloc(n + 1, sizeof(*times));
	double grace = long_prefill(engine, model), all;

	if (marks == NULL || times == NULL || (n > 0 && isnan(grace))) {
		free(marks);
		free(times);
		return err_memory(err);
	}
	grace += steps_under_way * what_if_step_time(&engine->step, 1, 0);
	for (size_t i = 0; i < n; i++)
		unknown += !model->requests[engine->requests[i]].queue_known;
	all = sum_times(marks, list_marks(engine, model, grace, marks), times);
	if (n > 0 && all >= least_time * model->wall &&
	    (double)unknown <= most_unknown * (double)n) {
		engine->slots = number_at(times, n + 1, all / 2);
		engine->steady = number_at(times, n + 1, all / 10) >=
				 steady_part * engine->slots;
	}
	free(marks);
	free(times);
	return 0;
}
