#include "rollout/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "rollout/perf_keys.h"

/* Parts of keys and whether more is better; the first match counts. The others
 * (counts, megabytes) are neutral. */
static const struct {
	const char *part;
	int good;
} meanings[] = {
	{"throughput", 1},   {"_per_sec", 1},	   {"speed_gb_s", 1},
	{"latency", -1},     {"queue_time", -1},   {"_duration", -1},
	{"retry_count", -1}, {"rollout_time", -1}, {"non_generation_time", -1},
	{PERF_KEY_WALL, -1},
};

struct figures figures_new(void)
{
	return (struct figures){.text = arena_new(LIMIT_LIST)};
}

void figures_free(struct figures *figures)
{
	free(figures->v);
	arena_free(&figures->text);
	*figures = (struct figures){0};
}

int figures_add(struct figures *figures, struct figure figure, struct err *err)
{
	struct str key = arena_str(&figures->text, str_of(figure.key));

	if (key.p == NULL)
		return arena_error(&figures->text, err);
	if (!ARRAY_GROW(figures->v, figures->n, figures->cap))
		return err_memory(err);
	figure.key = key.p;
	figures->v[figures->n++] = figure;
	return 0;
}

int figures_add_statistic(struct figures *figures, const char *metric,
			  const char *statistic, double percent,
			  struct figure figure, struct err *err)
{
	char key[PERF_KEY_MAX];
	char percentile[NUM_DOUBLE_MAX + 1] = "p";

	if (!isnan(percent)) {
		percentile[1 + num_put_short(percentile + 1, percent)] = '\0';
		statistic = percentile;
	}
	snprintf(key, sizeof(key), PERF_KEY_PREFIX "%s%s%s", metric,
		 *statistic == '\0' ? "" : "/", statistic);
	figure.key = key;
	return figures_add(figures, figure, err);
}

const struct figure *figures_find(const struct figures *figures, struct str key)
{
	for (size_t i = 0; i < figures->n; i++)
		if (isfinite(figures->v[i].value) &&
		    str_is(key, figures->v[i].key))
			return &figures->v[i];
	return NULL;
}

int figure_good(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (strstr(key, meanings[i].part) != NULL)
			return meanings[i].good;
	return 0;
}

const char *figure_statistic(const char *key)
{
	const char *slash = strrchr(key, '/');

	return slash == NULL ? key : slash + 1;
}
