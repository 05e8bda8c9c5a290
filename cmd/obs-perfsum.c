/*
 * obs-perfsum: the perf/ metrics of rollout dumps, and where their time went.
 *
 * Each dump is read sample by sample into a digest (perf_read.h), which is
 * passed to the sink of the format.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/quantile_text.h"
#include "common.h"
#include "dump.h"
#include "fmt/file/gzip_read.h"
#include "output.h"
#include "perf_compare.h"
#include "perf_limits.h"
#include "perf_partial.h"
#include "perf_pool.h"
#include "perf_tensorboard.h"
#include "perf_what_if.h"
#include "repeats.h"
#include "sink/perf/digest_sink.h"
#include "sink/perf/partial_json.h"
#include "sink/perf/trend_sink.h"

enum { PERCENTILES_MAX = 100 };

/* jsonl is json with one object per dump or group, on one line each. */
static const struct format {
	const char *name;
	struct digest_sink *(*new_sink)(struct out *out, struct err *err);
	compare_put *compare; /* NULL: not supported by --compare */
} formats[] = {
	{"json", digest_json_new, compare_put_json},
	{"jsonl", digest_json_new, compare_put_jsonl},
	{"table", digest_table_new, compare_put_table},
	{"prom", digest_prom_new, NULL},
	{"tsv", digest_tsv_new, compare_put_tsv},
	{0},
};
enum { FORMAT_JSON = 0, FORMAT_TABLE = 2 };

static double percentiles[PERCENTILES_MAX];

static struct {
	int format;
	const char *output;
	struct digest_plan plan;
	bool compare;
	bool write_partial, merge_partials;
	bool progress;
	int64_t jobs;
	struct tensorboard board;
} cfg = {.format = -1, .plan.perf.percentiles = percentiles, .board.step = -1};

/* Is p among the first n? It makes one key, even if repeated. */
static bool is_wanted(double p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (percentiles[i] == p)
			return true;
	return false;
}

/* 50,90,99.9 or 0.5,p90 */
static const char *take_percentiles(const char *text)
{
	static const char accepted[] =
		"up to 100 percentiles " QUANTILE_ACCEPTED
		", separated by commas";
	size_t n = 0;

	while (n < PERCENTILES_MAX) {
		size_t length = strcspn(text, ",");
		struct quantile_value p;

		if (!quantile_parse(str_make(text, length), &p))
			return accepted;
		if (!is_wanted(p.percent, n))
			percentiles[n++] = p.percent;
		cfg.plan.perf.percentile_count = n;
		if (text[length] == '\0')
			return NULL;
		text += length + 1;
	}
	return accepted;
}

/* A percentile named by --fail-if is a key like any other. */
static void add_percentile(double p)
{
	size_t n = cfg.plan.perf.percentile_count;

	if (is_wanted(p, n))
		return;
	if (n == PERCENTILES_MAX)
		die_usage("more than %d percentiles", PERCENTILES_MAX);
	percentiles[n] = p;
	cfg.plan.perf.percentile_count++;
}

static const struct opt options[] = {
	OPT_GROUP("Metrics"),
	OPT_CALL('p', "percentiles", "P,...", take_percentiles,
		 "add perf/.../pP for each percentile, such as 95, p95 or "
		 "0.95"),
	OPT_SECONDS(0, "rollout-time", "SECONDS", &cfg.plan.perf.rollout_time,
		    1e-9, 1e9,
		    "duration of the rollout; adds the longest_* metrics"),
	OPT_DOUBLE(0, "rollout-num-gpus", "N", &cfg.plan.perf.rollout_gpus,
		   1e-9, 1e9,
		   "with --rollout-time, adds tokens_per_gpu_per_sec"),
	OPT_FLAG(0, "breakdown", &cfg.plan.breakdown,
		 "show where the samples' time went: by span, activity and "
		 "phase"),
	OPT_INT(0, "stragglers", "N", &cfg.plan.stragglers, 1, STRAGGLERS_MAX,
		"show the N samples that ended last and the N that ran "
		"longest, and why"),
	OPT_ROW(0, "what-if", OPT_KIND_CALL, "REMEDY,...",
		"estimate what remedies would have saved: all of them "
		"(default), or those named, such as cut_p95,engines_equal",
		.to.take = take_what_if, .absent = "all"),
	OPT_CALL(0, "set", "NAME=VALUE", take_own_value,
		 "with --what-if, also estimate answers cut at VALUE tokens "
		 "(cut=4096) or VALUE slots per engine (slots=64); repeated, "
		 "each value is estimated"),
	OPT_STR(0, "by", "KEY", &cfg.plan.by,
		"report each value of KEY separately: group, source, status, "
		"attempt, worker, a sample field or a request attribute"),
	OPT_WITH,
	OPT_STRICT,
	OPT_GROUP("Comparison and limits"),
	OPT_FLAG(0, "compare", &cfg.compare,
		 "compare two dumps: what changed, and whether it is noise; "
		 "the first is the baseline"),
	OPT_PERCENT("threshold", &limits_threshold,
		    "with --compare, exit 5 if a metric regressed by more than "
		    "PERCENT, such as 10 or 10%"),
	OPT_CALL(0, "fail-if", "CONDITION", take_condition,
		 "exit 5 if CONDITION is true, such as 'KEY > 30' or, with "
		 "--compare, 'KEY > +10%'; may be repeated"),
	OPT_GROUP("Many dumps"),
	OPT_FLAG(0, "partial", &cfg.write_partial,
		 "write what --merge-partials needs, of all dumps together"),
	OPT_FLAG(0, "merge-partials", &cfg.merge_partials,
		 "read partials and report on all their dumps as one"),
	OPT_INT('j', "concurrency", "N", &cfg.jobs, 1, 4096,
		"read up to N dumps at a time (default: one per CPU)"),
	OPT_FLAG(0, "progress", &cfg.progress,
		 "show progress even if stderr is not a terminal"),
	OPT_GROUP("Output"),
	OPT_NAME(
		0, "tensorboard", "DIR", &cfg.board.directory,
		"also write the metrics to a new TensorBoard event file in DIR"),
	OPT_INT(0, "step", "N", &cfg.board.step, 0, 1e15,
		"with --tensorboard, use N as the step of a single dump "
		"(default: its rollout_id)"),
	OPT_FORMAT(&cfg.format, formats, ": table on a terminal, else json"),
	OPT_OUTPUT(&cfg.output),
	OPT_COMMON,
};

static const struct program program = {
	.name = "obs-perfsum",
	.synopsis = "[OPTION]... [DUMP]...",
	.about = "Print the perf/ metrics of rollout dumps: latency, queue "
		 "time, throughput, and the phases of prefill and decode, over "
		 "all generation requests. Or show where the samples' time "
		 "went, or compare dumps. A "
		 "DUMP is a file written by torch.save, a pickle, JSON or "
		 "JSONL; without one, or for -, standard input is read. Times "
		 "are in seconds.",
	.options = options,
	.examples = {"obs-perfsum rollout_42.pt",
		     "obs-perfsum --breakdown --stragglers 10 rollout_42.pt",
		     "zstdcat dump.jsonl.zst | obs-perfsum --format table"},

};

/* Is the locale UTF-8, by the variables that setlocale reads? */
static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *value = NULL;

	for (size_t i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	return value != NULL && (str_has_nocase(str_of(value), "utf-8") ||
				 str_has_nocase(str_of(value), "utf8"));
}

/* Unless specified, a table on a terminal. */
static int format(void)
{
	if (cfg.format >= 0)
		return cfg.format;
	return cfg.output == NULL && isatty(STDOUT_FILENO) ? FORMAT_TABLE
							   : FORMAT_JSON;
}

/* One row per dump, of several. */
static bool is_trend(size_t operands)
{
	return format() == FORMAT_TABLE && operands > 1 &&
	       !cfg.plan.breakdown && cfg.plan.stragglers == 0 &&
	       cfg.plan.by == NULL;
}

static struct digest_sink *new_sink(struct out *out, size_t operands)
{
	struct err err = {0};
	struct digest_sink *sink;
	enum trend_bars bars = TREND_NO_BARS;

	if (cfg.output == NULL && isatty(STDOUT_FILENO))
		bars = locale_is_utf8() ? TREND_BLOCK_BARS : TREND_ASCII_BARS;
	if (is_trend(operands))
		sink = digest_trend_new(out, bars, &err);
	else if (cfg.plan.what_if != NULL && operands > 1 &&
		 formats[format()].new_sink == digest_json_new)
		sink = digest_what_if_json_new(out, &err);
	else
		sink = formats[format()].new_sink(out, &err);
	if (sink == NULL)
		die_err(&err);
	return sink;
}

static void take_digest(void *taker, struct digest *digest)
{
	struct digest_sink *sink = taker;
	struct err err = {0};

	if (cfg.plan.by == NULL) {
		limits_add_wall(&digest->parts[0]);
		limits_judge(digest->dump, NULL, &digest->parts[0].figures);
		tensorboard_add(&cfg.board, digest, &digest->parts[0].figures);
	}
	if (sink->put(sink, digest, &err) < 0)
		die_err(&err);
}

static void summarise_all(size_t count, char **names, struct out *out)
{
	struct digest_sink *sink = new_sink(out, count);
	const struct perf_pool pool = {&cfg.plan, (size_t)cfg.jobs,
				       cfg.progress, take_digest, sink};
	struct err err = {0};

	/* For the wall times. */
	if (is_trend(count) && cfg.plan.what_if == NULL)
		cfg.plan.breakdown = cfg.plan.compares = true;
	perf_pool_run(&pool, count, names);
	if (sink->end(sink, &err) < 0)
		die_err(&err);
	sink->free(sink);
	tensorboard_end(&cfg.board);
}

/* Partials --------------------------------------------------------------- */

static void add_to_partial(void *taker, struct digest *digest)
{
	struct err err = {0};

	if (partial_add(taker, digest, &err) < 0) {
		err_in(&err, digest->dump);
		fail_err(&err);
	}
}

static void report_partial(struct partial *partial, struct out *out)
{
	struct digest_sink *sink = new_sink(out, 1);
	struct err err = {0};
	struct digest *digest = partial_digest(partial, &err);

	if (digest == NULL)
		die_err(&err);
	limits_add_wall(&digest->parts[0]);
	limits_judge(digest->dump, NULL, &digest->parts[0].figures);
	if (sink->put(sink, digest, &err) < 0 || sink->end(sink, &err) < 0)
		die_err(&err);
	sink->free(sink);
	digest_free(digest);
}

static void write_partial(const struct partial *partial, struct out *out)
{
	struct err err = {0};

	if (partial_put_json(out, partial, &err) < 0)
		die_err(&err);
}

/* True if there is something to print. */
static bool pool_dumps(size_t count, char **names, struct out *out)
{
	struct partial *partial = partial_new(&cfg.plan);
	const struct perf_pool pool = {&cfg.plan, (size_t)cfg.jobs,
				       cfg.progress, add_to_partial, partial};
	bool any;

	if (partial == NULL)
		die_memory();
	if (cfg.merge_partials)
		perf_merge_partials(partial, count, names);
	else
		perf_pool_run(&pool, count, names);
	any = partial->dumps > 0;
	if (any && cfg.write_partial)
		write_partial(partial, out);
	else if (any)
		report_partial(partial, out);
	partial_free(partial);
	return any;
}

static void check_pairs(void)
{
	const bool by = cfg.plan.by != NULL;
	const bool board = cfg.board.directory != NULL;
	const bool limits = limits_given();
	const bool what_if = cfg.plan.what_if != NULL;
	const bool rollout_time = cfg.plan.perf.rollout_time > 0;
	const bool partial = cfg.write_partial;
	const bool merge = cfg.merge_partials;
	const struct {
		bool given;
		const char *one, *other, *why;
	} pairs[] = {
		{by && board, "--by", "--tensorboard", ""},
		{by && limits, "--by", "--fail-if", ""},
		{cfg.compare && cfg.plan.breakdown, "--compare", "--breakdown",
		 ""},
		{cfg.compare && cfg.plan.stragglers > 0, "--compare",
		 "--stragglers", ""},
		{cfg.compare && by, "--compare", "--by", ""},
		{cfg.compare && board, "--compare", "--tensorboard", ""},
		{what_if && cfg.compare, "--what-if", "--compare", ""},
		{what_if && by, "--what-if", "--by", ""},
		{what_if && partial, "--what-if", "--partial", ""},
		{what_if && merge, "--what-if", "--merge-partials", ""},
		{partial && by, "--partial", "--by", ""},
		{partial && cfg.compare, "--partial", "--compare", ""},
		{partial && board, "--partial", "--tensorboard", ""},
		{partial && limits, "--fail-if", "--partial",
		 "; give it to --merge-partials"},
		{partial && cfg.format >= 0, "--partial", "--format", ""},
		{partial && cfg.plan.perf.percentile_count > 0, "-p",
		 "--partial", "; give it to --merge-partials"},
		{partial && rollout_time, "--partial", "--rollout-time",
		 ": each rollout has its own"},
		{merge && by, "--merge-partials", "--by", ""},
		{merge && cfg.compare, "--merge-partials", "--compare", ""},
		{merge && board, "--merge-partials", "--tensorboard", ""},
		{merge && with.n > 0, "--with", "--merge-partials",
		 "; give it to --partial"},
		{merge && rollout_time, "--merge-partials", "--rollout-time",
		 ": each rollout has its own"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].given)
			die_usage("%s cannot be combined with %s%s",
				  pairs[i].one, pairs[i].other, pairs[i].why);
}

/* Tables about more than the metrics do not show these. */
static void check_table(size_t operands)
{
	const char *added = cfg.plan.perf.percentile_count > 0 ? "-p"
			    : cfg.plan.perf.rollout_time > 0 ? "--rollout-time"
							     : NULL;
	const char *shown = cfg.plan.what_if != NULL  ? "--what-if"
			    : operands > 1	      ? NULL
			    : cfg.plan.breakdown      ? "--breakdown"
			    : cfg.plan.stragglers > 0 ? "--stragglers"
						      : NULL;

	if (format() == FORMAT_TABLE && added != NULL && shown != NULL &&
	    cfg.board.directory == NULL && !limits_given())
		die_usage("a table of %s does not show what %s adds; use "
			  "--format json",
			  shown, added);
}

static void check_options(size_t operands)
{
	const char *needy = limits_need_baseline();

	cfg.plan.what_if = what_if_plan();
	limits_check_remedies();
	if (cfg.plan.by != NULL && cfg.plan.by[0] == '\0')
		die_usage("--by needs a key");
	check_pairs();
	if (cfg.plan.perf.rollout_gpus > 0 && cfg.plan.perf.rollout_time == 0)
		die_usage("--rollout-num-gpus needs --rollout-time");
	check_table(operands);
	if (cfg.board.step >= 0 && cfg.board.directory == NULL)
		die_usage("--step needs --tensorboard");
	if (cfg.board.step >= 0 && operands > 1)
		die_usage("--step needs a single dump");
	if (!cfg.compare && needy != NULL)
		die_usage("%s needs --compare", needy);
	if (!cfg.compare && !cfg.plan.breakdown && !is_trend(operands))
		limits_check_wall();
	if (!cfg.compare)
		return;
	if (operands != 2)
		die_usage("--compare needs two operands");
	if (cfg.format >= 0 && formats[cfg.format].compare == NULL)
		die_usage("--compare cannot be combined with --format %s",
			  formats[cfg.format].name);
}

static int run(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	int count = argc - first;
	size_t operands;
	struct output output;
	bool useful;

	opt_need_input(count);
	if (!cfg.compare) {
		count = repeats_drop(count, argv + first);
		count = joined_find(count, argv + first);
	}
	operands = (size_t)count;
	dump_check_with(count, argv + first);
	check_options(operands);
	cfg.plan.perf.percentiles_asked = cfg.plan.perf.percentile_count;
	limits_each_percentile(add_percentile);
	output_check_all(cfg.output, operands, argv + first);
	output_open(&output, cfg.output);
	if (cfg.compare) {
		useful = perf_compare(argv + first, &cfg.plan,
				      formats[format()].compare,
				      &output.file.out);
		status_raise(dump_failure());
	} else if (cfg.write_partial || cfg.merge_partials) {
		useful = pool_dumps(operands, argv + first, &output.file.out);
		useful = dump_set_status() && useful;
	} else {
		summarise_all(operands, argv + first, &output.file.out);
		useful = dump_set_status();
	}
	if (useful)
		output_close(&output);
	else
		output_drop(&output);
	return finish();
}

int main(int argc, char **argv)
{
	return run_on_stack(run, argc, argv);
}
