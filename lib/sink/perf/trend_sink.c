#include "sink/perf/trend_sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/stats.h"
#include "rollout/perf_keys.h"
#include "rollout/what_if/advice.h"
#include "sink/perf/digest_parts.h"
#include "sink/perf/dump_name.h"
#include "sink/perf/what_if_summary.h"
#include "sink/table.h"

/* Bars: at most this many, each the mean of a number of adjacent rollouts. */
enum { BARS_MAX = 60, LEVELS = 8, PERCENTILES_MAX = 100, KEY_MAX = 96 };

static const char *const blocks[LEVELS] = {"\xe2\x96\x81", "\xe2\x96\x82",
					   "\xe2\x96\x83", "\xe2\x96\x84",
					   "\xe2\x96\x85", "\xe2\x96\x86",
					   "\xe2\x96\x87", "\xe2\x96\x88"};
static const char *const ascii[LEVELS] = {"_", ".", ":", "-",
					  "=", "+", "*", "#"};

struct trend_row {
	struct str dump;
	bool eval;
	bool numbered;
	int64_t number; /* of the rollout, if it has one */
	struct figures figures;
};

struct trend {
	struct digest_sink base; /* first: the functions cast back */
	enum trend_bars bars;
	const struct perf_wanted *wanted;
	struct trend_row *v;
	size_t n;
	size_t cap;
	struct arena text; /* of the names */
	bool what_if;	   /* savings requested: */
	struct what_if_summary summary;
};

/* The content of a column. */
struct shown {
	const char *key;
	const char *title;
};

static const struct shown fixed[] = {
	{PERF_KEY_WALL, "wall (s)"},
	{"perf/rollout_time", "rollout (s)"},
	{"perf/request/count", "requests"},
	{"perf/request/e2e_latency/mean", "e2e mean (s)"},
	{"perf/request/e2e_latency/median", "median (s)"},
	{"perf/request/e2e_latency/max", "max (s)"},
	{"perf/request/queue_time/mean", "queue mean (s)"},
	{"perf/request/queue_time/max", "max (s)"},
	{"perf/decode/throughput/mean", "tok/s mean"},
	{"perf/tokens_per_gpu_per_sec", "tokens/GPU/s"},
};

enum {
	FIXED = ARRAY_SIZE(fixed),
	COLUMNS_MAX = FIXED + PERCENTILES_MAX + REMEDY_KINDS + WHAT_IF_OWN_MAX
};

/* The columns of one table. */
struct layout {
	struct shown v[COLUMNS_MAX];
	size_t n;
	char keys[PERCENTILES_MAX][KEY_MAX];
	char titles[PERCENTILES_MAX][KEY_MAX];
};

/* Order --------------------------------------------------------------- */

static int by_rollout(const void *left, const void *right)
{
	const struct trend_row *a = left;
	const struct trend_row *b = right;

	if (a->eval != b->eval)
		return a->eval - b->eval;
	if (a->numbered != b->numbered)
		return b->numbered - a->numbered;
	if (a->numbered && a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return dump_name_compare(a->dump.p, b->dump.p);
}

static struct trend_row *new_row(struct trend *trend)
{
	if (!ARRAY_GROW(trend->v, trend->n, trend->cap))
		return NULL;
	trend->v[trend->n] = (struct trend_row){0};
	return &trend->v[trend->n++];
}

static int put(struct digest_sink *sink, struct digest *digest, struct err *err)
{
	struct trend *trend = (struct trend *)sink;
	struct trend_row *row = new_row(trend);

	if (row == NULL)
		return err_memory(err);
	row->dump = arena_str(&trend->text, str_of(digest->dump));
	if (row->dump.p == NULL)
		return arena_error(&trend->text, err);
	row->eval = digest_is_eval(digest);
	row->numbered = num_parse_int(digest->rollout_id, &row->number) ||
			dump_number(digest->dump, &row->number);
	trend->wanted = &digest->plan->perf;
	trend->what_if = digest->what_if != NULL;
	if (trend->what_if &&
	    what_if_summary_add(&trend->summary, digest, err) < 0)
		return err->code;
	row->figures = digest->parts[0].figures;
	digest->parts[0].figures = (struct figures){0};
	return breakdown_add_wall(digest->parts[0].times, &row->figures, err);
}

/* Columns ------------------------------------------------------------- */

static const struct figure *figure_of(const struct trend_row *row,
				      const struct shown *shown)
{
	return figures_find(&row->figures, str_of(shown->key));
}

static void show(struct layout *layout, const struct trend_row *rows, size_t n,
		 struct shown shown)
{
	for (size_t i = 0; i < n; i++) {
		if (figure_of(&rows[i], &shown) == NULL)
			continue;
		layout->v[layout->n++] = shown;
		return;
	}
}

/* Does it save anything in any rollout? */
static bool saves(const struct trend_row *rows, size_t n,
		  const struct shown *shown)
{
	for (size_t i = 0; i < n; i++) {
		const struct figure *figure = figure_of(&rows[i], shown);

		if (figure != NULL && figure->value > 0)
			return true;
	}
	return false;
}

/* What each remedy saves, by the remedies' names; the keys begin with
 * WHAT_IF_KEY. */
static void lay_out_savings(struct layout *layout, const struct trend_row *rows,
			    size_t n, const struct what_if_summary *summary)
{
	layout->n = 0;
	for (size_t i = 0; i < summary->n; i++) {
		struct shown shown;

		snprintf(layout->keys[i], KEY_MAX, WHAT_IF_KEY "%s/saves",
			 summary->v[i].id);
		snprintf(layout->titles[i], KEY_MAX, "%s", summary->v[i].id);
		shown = (struct shown){layout->keys[i], layout->titles[i]};
		if (saves(rows, n, &shown))
			show(layout, rows, n, shown);
	}
}

/* Columns with a figure in any row. */
static void lay_out(struct layout *layout, const struct trend_row *rows,
		    size_t n, const struct perf_wanted *wanted)
{
	layout->n = 0;
	for (size_t i = 0; i < FIXED; i++)
		show(layout, rows, n, fixed[i]);
	for (size_t i = 0; i < wanted->percentile_count; i++) {
		char digits[NUM_DOUBLE_MAX + 1] = "";

		num_put_short(digits, wanted->percentiles[i]);
		snprintf(layout->keys[i], KEY_MAX,
			 "perf/request/e2e_latency/p%s", digits);
		snprintf(layout->titles[i], KEY_MAX, "e2e p%s", digits);
		show(layout, rows, n,
		     (struct shown){layout->keys[i], layout->titles[i]});
	}
}

/* How much of a dump's name fits a line next to the figures. */
static size_t name_bytes(const struct layout *layout)
{
	enum { LINE = 110, FIGURE = 9, LEAST = 16 };
	size_t used = LEAST;

	for (size_t i = 0; i < layout->n; i++) {
		size_t title = strlen(layout->v[i].title);

		used += 2 + (title > FIGURE ? title : FIGURE);
	}
	return used < LINE ? LINE - used + LEAST : LEAST;
}

static int put_rows(const struct layout *layout, const struct trend_row *rows,
		    size_t n, struct out *out, struct err *err)
{
	struct table_column columns[COLUMNS_MAX + 2] = {
		{n > 0 && rows[0].eval ? "eval" : "rollout", TABLE_RIGHT}};
	struct table table;

	for (size_t k = 0; k < layout->n; k++)
		columns[k + 1] =
			(struct table_column){layout->v[k].title, TABLE_RIGHT};
	columns[layout->n + 1] = (struct table_column){"dump", TABLE_LEFT};
	table = table_new(columns, layout->n + 2);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].numbered)
			table_addf(&table, "%lld", (long long)rows[i].number);
		else
			table_add(&table, str_make("", 0));
		for (size_t k = 0; k < layout->n; k++) {
			const struct figure *figure =
				figure_of(&rows[i], &layout->v[k]);

			if (figure == NULL)
				table_add(&table, str_make("", 0));
			else
				table_addf(&table, "%.6g", figure->value);
		}
		table_add_path(&table, rows[i].dump, name_bytes(layout));
	}
	return table_put(&table, out, err);
}

/* Bars ---------------------------------------------------------------- */

struct bars {
	double v[BARS_MAX]; /* NaN: no figure */
	size_t n;
	double least;
	double most;
};

static struct bars bars_of(const struct trend_row *rows, size_t n,
			   const struct shown *shown)
{
	struct bars bars = {.n = n < BARS_MAX ? n : BARS_MAX,
			    .least = (double)INFINITY,
			    .most = -(double)INFINITY};

	for (size_t b = 0; b < bars.n; b++) {
		double sum = 0, count = 0;

		for (size_t i = b * n / bars.n; i < (b + 1) * n / bars.n; i++) {
			const struct figure *figure =
				figure_of(&rows[i], shown);

			if (figure == NULL)
				continue;
			sum += figure->value;
			count++;
		}
		bars.v[b] = sum / count;
		bars.least = fmin(bars.least, bars.v[b]);
		bars.most = fmax(bars.most, bars.v[b]);
	}
	return bars;
}

static const char *bar_of(const struct bars *bars, double v,
			  const char *const *levels)
{
	double range = bars->most - bars->least;
	double level = range > 0 ? (v - bars->least) / range * LEVELS : 0;

	if (isnan(v))
		return " ";
	return levels[level < LEVELS ? (int)level : LEVELS - 1];
}

/* The key without "perf/", a line of bars, and their range. */
static int put_bars(const struct layout *layout, const struct trend_row *rows,
		    size_t n, const char *const *levels, struct out *out,
		    struct err *err)
{
	static const struct table_column columns[] = {{"metric", TABLE_LEFT},
						      {"trend", TABLE_LEFT},
						      {"min", TABLE_RIGHT},
						      {"max", TABLE_RIGHT}};
	struct table table = table_new(columns, 4);

	for (size_t k = 0; k < layout->n; k++) {
		struct bars bars = bars_of(rows, n, &layout->v[k]);
		struct buf line = buf_new(KIB);

		for (size_t b = 0; b < bars.n; b++)
			buf_puts(&line, bar_of(&bars, bars.v[b], levels));
		if (strcmp(layout->v[k].key, PERF_KEY_WALL) == 0)
			table_add(&table, str_of(layout->v[k].title));
		else
			digest_add_metric(&table, str_of(layout->v[k].key +
							 strlen("perf/")));
		table_add(&table, buf_str(&line));
		table_addf(&table, "%.6g", bars.least);
		table_addf(&table, "%.6g", bars.most);
		table.text.failed |= line.failed;
		buf_free(&line);
	}
	out_putc(out, '\n');
	return table_put(&table, out, err);
}

/* The answer -------------------------------------------------------------- */

/* What shows how long a rollout took, the best first. */
enum { DURATIONS = 3 };

static const struct shown durations[DURATIONS] = {
	{"perf/rollout_time", "took longest"},
	{PERF_KEY_WALL, "took longest"},
	{"perf/request/e2e_latency/max", "has the longest request"},
};

/* The row with the largest figure, and all figures, sorted. NULL if they are
 * the same in all rows, or missing. *failed: out of memory. */
static const struct trend_row *find_longest(const struct trend_row *rows,
					    size_t n, const struct shown *shown,
					    struct stats *all, bool *failed)
{
	const struct trend_row *longest = NULL;
	double most = 0;

	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct figure *figure = figure_of(&rows[i], shown);

		if (figure == NULL || !isfinite(figure->value))
			continue;
		*failed |= !stats_add(all, figure->value);
		if (longest == NULL || figure->value > most) {
			longest = &rows[i];
			most = figure->value;
		}
	}
	stats_sort(all);
	return all->n > 0 && all->v[0] < most ? longest : NULL;
}

/* "rollout 44 took longest: 13.6 s, 3.10 s over the median of 12 rollouts" */
static void put_longest(struct buf *text, const struct trend_row *row,
			const struct shown *shown, const struct stats *all)
{
	double most = all->v[all->n - 1];
	double usual = all->n == 2 ? all->v[0] : stats_median(all);

	if (row->numbered)
		buf_printf(text, "%s %lld", row->eval ? "eval" : "rollout",
			   (long long)row->number);
	else
		table_escape(text, row->dump);
	buf_printf(text, " %s: ", shown->title);
	what_if_put_seconds(text, most);
	buf_puts(text, " s, ");
	what_if_put_seconds(text, most - usual);
	if (all->n == 2)
		buf_puts(text, " s more than the other");
	else
		buf_printf(text, " s over the median of %zu %s", all->n,
			   row->eval ? "evals" : "rollouts");
}

static int put_answer(const struct trend_row *rows, size_t n, struct out *out,
		      struct err *err)
{
	const struct trend_row *longest = NULL;
	struct buf text = buf_new(LIMIT_STRING);
	struct stats all = {0};
	bool failed = false;

	for (size_t i = 0; longest == NULL && i < DURATIONS; i++) {
		longest = find_longest(rows, n, &durations[i], &all, &failed);
		if (longest != NULL)
			put_longest(&text, longest, &durations[i], &all);
	}
	stats_free(&all);
	text.failed |= failed;
	if (longest != NULL || failed)
		return table_put_line(&text, out, err);
	buf_free(&text);
	return 0;
}

static int put_part(const struct trend *trend, const struct trend_row *rows,
		    size_t n, struct err *err)
{
	struct layout *layout = malloc(sizeof(*layout));
	struct out *out = trend->base.out;
	int code = 0;

	if (layout == NULL)
		return err_memory(err);
	if (trend->what_if)
		lay_out_savings(layout, rows, n, &trend->summary);
	else
		lay_out(layout, rows, n, trend->wanted);
	if (!trend->what_if)
		code = put_answer(rows, n, out, err);
	if (code == 0)
		code = put_rows(layout, rows, n, out, err);
	if (code == 0 && trend->bars != TREND_NO_BARS && n > 1)
		code = put_bars(layout, rows, n,
				trend->bars == TREND_BLOCK_BARS ? blocks
								: ascii,
				out, err);
	free(layout);
	return code;
}

static int put_all(struct trend *trend, struct err *err)
{
	size_t train = 0;

	while (train < trend->n && !trend->v[train].eval)
		train++;
	if (trend->what_if)
		out_puts(trend->base.out, "part of the wall time that each "
					  "remedy saves, if it does in any "
					  "dump:\n");
	if (train > 0 && put_part(trend, trend->v, train, err) < 0)
		return err->code;
	if (train == trend->n)
		return 0;
	if (train > 0)
		out_putc(trend->base.out, '\n');
	return put_part(trend, trend->v + train, trend->n - train, err);
}

static int end(struct digest_sink *sink, struct err *err)
{
	struct trend *trend = (struct trend *)sink;

	if (trend->n > 0)
		qsort(trend->v, trend->n, sizeof(*trend->v), by_rollout);
	if (put_all(trend, err) < 0)
		return err->code;
	if (!trend->what_if)
		return 0;
	out_puts(sink->out, "\nover all dumps:\n");
	return what_if_summary_put_table(&trend->summary, sink->out, err);
}

static void free_trend(struct digest_sink *sink)
{
	struct trend *trend = (struct trend *)sink;

	for (size_t i = 0; i < trend->n; i++)
		figures_free(&trend->v[i].figures);
	free(trend->v);
	what_if_summary_free(&trend->summary);
	arena_free(&trend->text);
	free(trend);
}

struct digest_sink *digest_trend_new(struct out *out, enum trend_bars bars,
				     struct err *err)
{
	struct trend *trend = calloc(1, sizeof(*trend));

	if (trend == NULL)
		return err_no_memory(err);
	*trend = (struct trend){.base = {put, end, free_trend, out},
				.bars = bars,
				.text = arena_new(LIMIT_LIST)};
	return (struct digest_sink *)trend;
}
