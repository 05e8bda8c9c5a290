#include "metrics/history.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/stats.h"

enum { APART = 48 }; /* points in the requested span; fewer than are kept */

static const double SLACK = 1e-6; /* in sums of seconds */

static const struct moment *moment_at(const struct history *h, uint32_t i)
{
	return &h->v[(h->first + i) % HISTORY_MOMENTS];
}

void history_free(struct history *h)
{
	free(h->v);
	*h = (struct history){0};
}

bool history_add(struct history *h, struct moment moment, double span)
{
	if (h->n > 0 &&
	    moment.time - moment_at(h, h->n - 1)->time < span / APART)
		return true;
	if (h->n == HISTORY_MOMENTS) {
		h->first = (h->first + 1) % HISTORY_MOMENTS;
		h->n--;
	} else if (!ARRAY_GROW_FEW(h->v, h->n, h->cap)) {
		return false;
	}
	h->v[(h->first + h->n) % HISTORY_MOMENTS] = moment;
	h->n++;
	return true;
}

void history_shift(struct history *h, double seconds)
{
	for (uint32_t i = 0; i < h->n; i++)
		h->v[i].time += seconds;
}

const struct moment *history_before(const struct history *h, double now,
				    double span)
{
	const struct moment *found = NULL;

	for (uint32_t i = 0; i < h->n; i++)
		if (moment_at(h, i)->time <= now - span + SLACK)
			found = moment_at(h, i);
	return found;
}

const struct moment *history_within(const struct history *h, double now,
				    double span)
{
	const struct moment *found = history_before(h, now, span);

	if (found != NULL || h->n == 0)
		return found;
	return moment_at(h, 0);
}

double history_median(const struct history *h, double now, double span)
{
	double values[HISTORY_MOMENTS];
	struct stats found = {.v = values};

	for (uint32_t i = 0; i < h->n; i++)
		if (moment_at(h, i)->time >= now - span - SLACK)
			values[found.n++] = moment_at(h, i)->a;
	stats_sort(&found);
	return found.n > 0 ? stats_median(&found) : (double)NAN;
}
