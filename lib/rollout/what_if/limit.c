#include "rollout/what_if/limit.h"

#include <math.h>
#include <stdlib.h>

/* The limit must be reached for more than this fraction of the time in which
 * samples wait, and one must wait longer than these. */
static const double holds = 0.7;
static const double long_wait = 0.02; /* seconds */
static const double long_part = 0.01; /* of the wall */

/* A sample begins or ends waiting, or generating. */
struct limit_mark {
	double at;
	int8_t waiting, generating;
};

static int by_time(const void *x, const void *y)
{
	const struct limit_mark *a = x;
	const struct limit_mark *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

/* The marks of all samples; *longest becomes the longest wait. */
static size_t list_marks(const struct what_if_model *model,
			 struct limit_mark *marks, double *longest)
{
	size_t n = 0;

	*longest = 0;
	for (size_t i = 0; i < model->sample_count; i++) {
		const struct what_if_sample *sample = &model->samples[i];
		double in = INFINITY, out = -INFINITY;

		if (sample->count == 0)
			continue;
		for (uint32_t k = 0; k < sample->count; k++) {
			const struct what_if_request *request =
				&model->requests[sample->first + k];

			in = fmin(in, request->in);
			out = fmax(out, request->out);
		}
		*longest = fmax(*longest, in - sample->start);
		marks[n++] = (struct limit_mark){sample->start, 1, 0};
		marks[n++] = (struct limit_mark){in, -1, 1};
		marks[n++] = (struct limit_mark){out, 0, -1};
	}
	return n;
}

/* The most frequent number generating while some sample waits, if it is that
 * for most of that time; else 0. times: by number, all 0. */
static uint32_t find(const struct limit_mark *marks, size_t n, double *times)
{
	int64_t waiting = 0, generating = 0;
	double all = 0, most = 0;
	uint32_t limit = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		double time = marks[i + 1].at - marks[i].at;

		waiting += marks[i].waiting;
		generating += marks[i].generating;
		if (waiting <= 0 || generating < 0)
			continue;
		all += time;
		times[generating] += time;
		if (times[generating] > most) {
			most = times[generating];
			limit = (uint32_t)generating;
		}
	}
	return most > holds * all ? limit : 0;
}

int what_if_find_limit(struct what_if_model *model, struct err *err)
{
	size_t most = model->sample_count;
	struct limit_mark *marks = calloc(3 * most + 1, sizeof(*marks));
	double *times = calloc(most + 1, sizeof(*times));
	int code = marks == NULL || times == NULL ? err_memory(err) : 0;
	double longest;

	if (code == 0) {
		size_t n = list_marks(model, marks, &longest);

		qsort(marks, n, sizeof(*marks), by_time);
		if (longest > fmax(long_wait, long_part * model->wall))
			model->client_limit = find(marks, n, times);
	}
	free(marks);
	free(times);
	return code;
}
