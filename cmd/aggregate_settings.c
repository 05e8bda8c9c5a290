#include "aggregate_settings.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate_output.h"
#include "base/quantile_text.h"
#include "common.h"
#include "label_options.h"
#include "metrics/step_table.h"
#include "options.h"

static const char *const inputs[] = {"auto", "text", "openmetrics", NULL};
static const char *const ops[] = {"auto", "sum",   "mean", "min",
				  "max",  "count", "last", NULL};
static const char *const nans[] = {"exclude", "propagate", NULL};
static const char *const fates[] = {"skip", "zero", NULL};

enum { LIST_MAX = 64 };

static struct opt_list labels, select_globs, drop_globs, matches;
static struct opt_list mean_globs, max_globs;
static const char *prefix, *strip_prefix, *key_prefix, *state_path,
	*output_path, *explained, *sort_key;
static bool sanitize, pad_labels, no_fold, delta, rate, strict, by_given,
	without_given;
static int format = -1, engine = -1;
static int input, op, nan_rule, new_series;
static double window, peak_tflops;
static bool all_keys, spread;
static struct opt_list bounds;
static struct alarm_given given;
static bool alarms;
static struct str grouping[LIST_MAX];
static size_t n_grouping;
static double quantiles[LIST_MAX];
static size_t n_quantiles;

/* Add a label, without duplicates. Returns false if there is no room. */
static bool add_grouping(struct str name)
{
	for (size_t i = 0; i < n_grouping; i++)
		if (str_eq(grouping[i], name))
			return true;
	if (n_grouping == LIST_MAX)
		return false;
	grouping[n_grouping++] = name;
	return true;
}

/* Split "A,B" into grouping; "" means no labels. */
static const char *take_grouping(const char *value)
{
	while (*value != '\0') {
		size_t n = strcspn(value, ",");
		struct str name = str_trim(str_make(value, n));

		if (name.n == 0 || !add_grouping(name))
			return "up to 64 labels, separated by commas";
		value += n;
		value += *value == ',';
	}
	return NULL;
}

static const char *take_by(const char *value)
{
	by_given = true;
	return take_grouping(value);
}

static const char *take_without(const char *value)
{
	without_given = true;
	return take_grouping(value);
}

/* Add a quantile, without duplicates. Returns false if there is no room. */
static bool add_quantile(double q)
{
	for (size_t i = 0; i < n_quantiles; i++)
		if (quantiles[i] == q)
			return true;
	if (n_quantiles == LIST_MAX)
		return false;
	quantiles[n_quantiles++] = q;
	return true;
}

static const char *take_quantiles(const char *value)
{
	static const char accepted[] = "up to 64 quantiles " QUANTILE_ACCEPTED;
	struct quantile_value q;

	do {
		size_t n = strcspn(value, ",");
		struct str word = str_trim(str_make(value, n));

		if (!quantile_parse(word, &q) || !add_quantile(q.fraction))
			return accepted;
		value += n;
	} while (*value++ == ',');
	return NULL;
}

/* clang-format off */
static const struct opt options[] = {
	OPT_GROUP("Input"),
	OPT_ENUM(0, "input", "UNIT", &input, inputs,
		 "read timestamps as milliseconds (text) or seconds "
		 "(openmetrics); auto, the default, detects the unit"),
	OPT_LABEL(&labels),
	OPT_FLAG(0, "strict", &strict,
		 "stop at a malformed line; exit 1 after any warning"),
	OPT_GROUP("Selecting"),
	OPT_LIST(0, "select", "GLOB", &select_globs,
		 "keep only metrics whose name matches"),
	OPT_LIST(0, "drop", "GLOB", &drop_globs,
		 "drop metrics whose name matches"),
	OPT_LIST(0, "match", "MATCHER", &matches,
		 "keep only series whose label matches: LABEL=VALUE, "
		 "LABEL!=VALUE, LABEL=~REGEX, LABEL!~REGEX"),
	OPT_GROUP("Names"),
	OPT_FLAG(0, "sanitize", &sanitize,
		"replace ':' in metric names with '_'"),
	OPT_STR(0, "strip-prefix", "TEXT", &strip_prefix,
		"remove TEXT from the start of metric names"),
	OPT_STR(0, "prefix", "TEXT", &prefix,
		"add TEXT to the start of metric names"),
	OPT_FLAG(0, "pad-labels", &pad_labels,
		 "give all samples of a metric the same labels; missing ones "
		 "are \"\""),
	OPT_GROUP("Reducing"),
	OPT_CALL(0, "by", "LABELS", take_by,
		"combine samples that share these labels"),
	OPT_CALL(0, "without", "LABELS", take_without,
		 "combine samples that differ only in these labels"),
	OPT_ENUM(0, "op", "OP", &op, ops,
		 "how to combine samples (default auto: chosen per metric)"),
	OPT_LIST(0, "mean", "GLOB", &mean_globs,
		 "use mean for metrics whose name matches"),
	OPT_LIST(0, "max", "GLOB", &max_globs,
		 "use max for metrics whose name matches"),
	OPT_ENUM(0, "nan", "RULE", &nan_rule, nans,
		"how to treat NaN (default exclude)"),
	OPT_FLAG(0, "no-fold", &no_fold,
		 "count every series, even copies from other ranks and the "
		 "parts of a total"),
	OPT_CALL(0, "quantile", "LIST", take_quantiles,
		 "replace histograms with these quantiles, such as 0.95, 95 or "
		 "p95"),
	OPT_GROUP("Differences"),
	OPT_FLAG(0, "delta", &delta,
		"write how much each counter rose between snapshots"),
	OPT_FLAG(0, "rate", &rate,
		"write how much each counter rose per second"),
	OPT_ENUM(0, "new-series", "RULE", &new_series, fates,
		 "how to count a series with no earlier value (default skip)"),
	OPT_NAME(0, "state", "FILE", &state_path,
		"keep the last snapshot in FILE for the next run"),
	OPT_GROUP("Training steps"),
	OPT_ENUM(0, "step-summary", "ENGINE", &engine, step_summaries,
		 "write the metrics of one training step"),
	OPT_FLAG(0, "all-keys", &all_keys,
		 "write all keys, not only those trainers document (sglang and "
		 "smg always do)"),
	OPT_FLAG(0, "spread", &spread,
		 "add the min, median and max over workers to each key"),
	OPT_LIST(0, "within", "KEY=SECONDS", &bounds,
		 "write the share of requests whose KEY, such as "
		 "ttft_seconds, is at most SECONDS; may be repeated"),
	OPT_DOUBLE(0, "peak-tflops", "N", &peak_tflops, 1e-9, 1e9,
		   "dense peak of one GPU in TFLOP/s; adds the key mfu"),
	OPT_STR(0, "key-prefix", "TEXT", &key_prefix,
		"start keys with TEXT instead of ENGINE"),
	OPT_SECONDS(0, "window", "SECONDS", &window, -1e12, 1e12,
		    "compute rates over SECONDS of generation instead of the time "
		    "between snapshots"),
	OPT_GROUP("Alarms"),
	OPT_FLAG(0, "alarms", &alarms,
		 "write a line when an alarm begins or ends: the worker, what "
		 "is wrong and what to try"),
	OPT_ALARMS(&given),
	OPT_GROUP("Metrics"),
	OPT_STR(0, "explain", "NAME", &explained,
		"print what a metric means, its unit, and when its value is "
		"bad; or what an alarm means and what to do"),
	OPT_GROUP("Limits"),
	OPT_CALL(0, "fail-if", "CONDITION", take_limit,
		 "exit 5 if a series in the output is beyond a limit: METRIC "
		 "> N, METRIC < N"),
	OPT_GROUP("Output"),
	OPT_STR(0, "sort", "KEY", &sort_key,
		"sort the rows by a metric, largest first, or by a label; "
		"+KEY ascending, -KEY descending"),
	OPT_OUTPUT(&output_path),
	OPT_FORMAT(&format, aggregate_formats,
		   ": table on a terminal, json with --step-summary, "
		   "else prom"),
	OPT_COMMON,
};
/* clang-format on */

static const struct program program = {
	.name = "obs-aggregate",
	.synopsis = "[OPTION]... [FILE[@LABEL=VALUE,...]]...",
	.about = "Merge Prometheus text of many workers into one exposition, "
		 "reduce it over labels, and take the differences between "
		 "snapshots. Histories from Prometheus and VictoriaMetrics are "
		 "read, too. Without a FILE, or for -, standard input is read.",
	.options = options,
	.examples =
		{"obs-scrape --router http://localhost:3000 | obs-aggregate --by "
		 "worker_addr",
		 "obs-aggregate w1.prom@worker=a w2.prom@worker=b "
		 "--quantile 0.5,0.99",
		 "obs-scrape -i 5 localhost:30000 | obs-aggregate "
		 "--step-summary sglang"},
};

static void read_matchers(struct aggregate_how *how)
{
	struct matcher *m = calloc(matches.n + 1, sizeof(*m));
	struct err err;

	if (m == NULL)
		die_memory();
	for (size_t i = 0; i < matches.n; i++)
		if (matcher_init(&m[i], matches.v[i], &err) < 0)
			die_given("--match", matches.v[i], &err);
	how->matchers = m;
	how->n_matchers = matches.n;
}

static void read_labels(struct aggregate_settings *s)
{
	struct label_set plain = read_label_options(&labels);
	struct err err;

	for (size_t i = 0; i < plain.n; i++)
		if (labels_push_plain(&s->added, plain.v[i].name,
				      plain.v[i].value, &s->texts, &err) < 0)
			die_err(&err);
	label_set_free(&plain);
}

static void check_alarms(void)
{
	if (!alarms && (given.limits.n > 0 || given.fatal.n > 0))
		die_usage("--limit and --fail-on need --alarms");
	if (!alarms)
		return;
	if (by_given || without_given || n_quantiles > 0 || delta || rate ||
	    engine >= 0 || state_path != NULL)
		die_usage("--alarms cannot be combined with reductions, "
			  "differences or --step-summary");
	if (aggregate_has_limits())
		die_usage("--alarms cannot be combined with --fail-if; use "
			  "--fail-on");
	if (format >= 0 && format != FORMAT_JSON && format != FORMAT_JSONL)
		die_usage("--alarms writes text by default, or JSON lines with "
			  "--format=json");
}

static void check_usage(void)
{
	bool differs = delta || rate || engine >= 0;

	if (by_given && without_given)
		die_usage("--by and --without cannot be combined");
	if (delta && rate)
		die_usage("--delta and --rate cannot be combined");
	if (state_path != NULL && !differs)
		die_usage("--state needs --delta, --rate or --step-summary");
	if (engine < 0 && (key_prefix != NULL || window != 0 || all_keys ||
			   spread || peak_tflops > 0 || bounds.n > 0))
		die_usage("--key-prefix, --window, --all-keys, --spread, "
			  "--peak-tflops and --within need --step-summary");
	if (engine >= 0 && (by_given || without_given || n_quantiles > 0))
		die_usage("--step-summary cannot be combined with --by, "
			  "--without or --quantile");
}

static void plan_step(struct step_plan *step)
{
	const char *summary = step_summaries[engine];
	const bool *rows = step_rows_used(summary);
	struct str key;
	double bound;

	if (rows == NULL)
		die_memory();

	for (size_t i = 0; i < bounds.n; i++)
		if (!step_bound_read(summary, bounds.v[i], &key, &bound))
			die_usage(
				"--within=%s is not KEY=SECONDS, where KEY is "
				"one of %s with quantiles, such as "
				"ttft_seconds",
				bounds.v[i], summary);
	*step = (struct step_plan){
		.summary = summary,
		.prefix = key_prefix ? key_prefix : summary,
		.all_keys = all_keys,
		.spread = spread,
		.peak = peak_tflops,
		.window = window,
		.rows = rows,
		.bounds = bounds.v,
		.n_bounds = bounds.n,
	};
}

/* Is there one row per group, or just one if there are no groups? */
static bool is_wide(void)
{
	return format >= 0 && aggregate_formats[format].is_wide && engine < 0;
}

static void build_how(struct aggregate_how *how)
{
	how->naming = (struct naming){
		.strip_prefix = strip_prefix,
		.prefix = prefix,
		.select = select_globs.v,
		.drop = drop_globs.v,
		.n_select = select_globs.n,
		.n_drop = drop_globs.n,
		.sanitize = sanitize,
	};
	how->reduction = (struct reduce_how){
		.labels = grouping,
		.n_labels = n_grouping,
		.without = !by_given && (without_given || !is_wide()),
		.op = (enum reduce_op)op,
		.mean = mean_globs.v,
		.max = max_globs.v,
		.n_mean = mean_globs.n,
		.n_max = max_globs.n,
		.propagate_nan = nan_rule == 1,
		.quantiles = quantiles,
		.n_quantiles = n_quantiles,
		.differences = delta || rate,
		.raw = no_fold,
	};
	how->reduce = by_given || without_given || n_quantiles > 0 || is_wide();
	how->pad = pad_labels;
	how->delta = delta;
	how->rate = rate;
	how->new_from_zero = new_series == 1;
	how->remembers = state_path != NULL;
	if (engine >= 0)
		plan_step(&how->step);
	read_matchers(how);
}

int aggregate_settings_read(struct aggregate_settings *s, int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);

	if (explained != NULL && argc > first)
		die_usage("--explain reads no files");
	if (explained == NULL)
		opt_need_input(argc - first);
	check_usage();
	check_alarms();
	*s = (struct aggregate_settings){
		.texts = arena_new(SIZE_MAX / 2),
		.state_path = state_path,
		.output_path = output_path,
		.explained = explained,
		.sort_key = sort_key,
		.format = format,
		.input = (enum aggregate_input)input,
		.strict = strict,
	};
	build_how(&s->how);
	s->how.reduction.parted = argc - first > 1 && !delta && !rate &&
				  !alarms;
	if (alarms)
		alarm_options_read(&given, &s->fail_on, &s->how);
	read_labels(s);
	return first;
}
