#include <stdio.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/limits.h"
#include "base/num.h"
#include "rollout/perf_keys.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"

enum { STATISTICS = 4, PERCENTILE_TITLE = 24, METRIC_MAX = 96 };

static const char *const statistics[] = {"mean", "median", "max", "min"};

struct metric_table {
	struct table table;
	size_t columns;		 /* metric and its statistics */
	size_t filled;		 /* cells of the current row */
	char metric[METRIC_MAX]; /* the metric of that row */
};

/* Single-valued metrics fill one cell; the rest of their row is empty. */
static void end_row(struct metric_table *v)
{
	for (; v->filled > 0 && v->filled < v->columns; v->filled++)
		table_add(&v->table, str_make("", 0));
	v->filled = 0;
}

/* The key without "perf/" and, if it has one, without its statistic. */
static struct str metric_name(const char *key, bool *has_statistic)
{
	struct str name = str_of(key + strlen("perf/"));
	const char *slash = strrchr(name.p, '/');

	*has_statistic = false;
	if (slash == NULL)
		return name;
	for (size_t i = 0; i < STATISTICS; i++)
		*has_statistic |= strcmp(slash + 1, statistics[i]) == 0;
	*has_statistic |= slash[1] == 'p' && is_digit(slash[2]);
	if (*has_statistic)
		name.n = (size_t)(slash - name.p);
	return name;
}

void digest_add_metric(struct table *table, struct str name)
{
	const char *unit = perf_key_unit(name);

	table_addf(table, *unit ? "%.*s (%s)" : "%.*s", STR_ARG(name), unit);
}

/* Begin a row when the metric changes. */
static void begin_cell(struct metric_table *v, const char *key)
{
	bool has_statistic;
	struct str name = metric_name(key, &has_statistic);

	if (v->filled > 0 && !str_eq(name, str_of(v->metric)))
		end_row(v);
	if (v->filled == 0) {
		snprintf(v->metric, sizeof(v->metric), "%.*s", STR_ARG(name));
		digest_add_metric(&v->table, name);
		v->filled = 1;
	}
	v->filled++;
}

static void put_figure(struct metric_table *v, const struct figure *figure)
{
	begin_cell(v, figure->key);
	if (figure->count)
		table_addf(&v->table, "%.0f", figure->value);
	else
		table_addf(&v->table, "%.6g", figure->value);
}

/* The columns; titles of percentiles are built here. NULL: no memory. */
static struct table_column *make_columns(const struct perf_wanted *wanted,
					 size_t *count, char **titles)
{
	size_t n = 1 + STATISTICS + wanted->percentile_count;
	struct table_column *columns = calloc(n, sizeof(*columns));
	char *title = calloc(n, PERCENTILE_TITLE + NUM_DOUBLE_MAX);

	*count = n;
	*titles = title;
	if (columns == NULL || title == NULL) {
		free(columns);
		return NULL;
	}
	columns[0] = (struct table_column){"metric", TABLE_LEFT};
	for (size_t i = 1; i < n; i++) {
		columns[i].align = TABLE_RIGHT;
		columns[i].title = title;
		if (i <= STATISTICS) {
			columns[i].title = statistics[i - 1];
			continue;
		}
		title[0] = 'p';
		num_put_short(title + 1,
			      wanted->percentiles[i - 1 - STATISTICS]);
		title += PERCENTILE_TITLE + NUM_DOUBLE_MAX;
	}
	return columns;
}

int perf_put_table(struct out *out, const struct figures *figures,
		   const struct perf_wanted *wanted, struct err *err)
{
	struct metric_table v = {0};
	char *titles;
	struct table_column *columns =
		make_columns(wanted, &v.columns, &titles);
	int code = columns == NULL ? err_memory(err) : 0;

	if (code == 0) {
		v.table = table_new(columns, v.columns);
		for (size_t i = 0; i < figures->n; i++)
			put_figure(&v, &figures->v[i]);
		end_row(&v);
		code = table_put(&v.table, out, err);
	}
	free(columns);
	free(titles);
	return code;
}
