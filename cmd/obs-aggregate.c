/* Merge, reduce and difference expositions of Prometheus text. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "common.h"
#include "fmt/prom_read.h"
#include "model/addition.h"
#include "model/aggregate.h"
#include "model/sequence.h"
#include "model/state.h"
#include "output.h"
#include "sink/metric_sink.h"

/* The options --------------------------------------------------------- */

static const char *const formats[] = {"prom", "json",  "jsonl",
				      "tsv",  "table", NULL};
static struct metric_sink *(*const sinks[])(struct out *, struct err *) = {
	prom_out_new, json_out_new, jsonl_out_new, tsv_out_new};
static const char *const inputs[] = {"auto", "text", "openmetrics", NULL};
static const char *const ops[] = {"auto", "sum",   "mean", "min",
				  "max",  "count", "last", NULL};
static const char *const nans[] = {"exclude", "propagate", NULL};
static const char *const fates[] = {"skip", "zero", NULL};
static const char *const engines[] = {"vllm", "sglang", NULL};

enum { FORMAT_JSON = 1, FORMAT_TABLE = 4, LIST_MAX = 64 };

static struct opt_list labels, select_globs, drop_globs, matches;
static struct opt_list mean_globs, max_globs;
static const char *prefix, *strip_prefix, *key_prefix, *state_path,
	*output_path;
static bool sanitize, pad_labels, delta, rate, strict, by_given, without_given;
static int format = -1, input, op, nan_rule, new_series, engine = -1;
static double window;
static struct str grouping[LIST_MAX];
static size_t n_grouping;
static double quantiles[LIST_MAX];
static size_t n_quantiles;

/* Split "A,B" into grouping; "" is no label at all. */
static const char *take_grouping(const char *value)
{
	while (*value != '\0') {
		size_t n = strcspn(value, ",");
		struct str name = str_trim(str_make(value, n));

		if (name.n == 0 || n_grouping == LIST_MAX)
			return "up to 64 labels, separated by commas";
		grouping[n_grouping++] = name;
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

static const char *take_quantiles(const char *value)
{
	while (*value != '\0') {
		size_t n = strcspn(value, ",");
		struct str word = str_trim(str_make(value, n));

		if (n_quantiles == LIST_MAX ||
		    !num_parse_double(word, &quantiles[n_quantiles]))
			return "numbers such as 0.5,0.95,0.99";
		n_quantiles++;
		value += n;
		value += *value == ',';
	}
	return n_quantiles > 0 ? NULL : "numbers such as 0.5,0.95,0.99";
}

/* clang-format off */
static const struct opt options[] = {
	OPT_GROUP("Input"),
	OPT_ENUM(0, "input", "UNIT", &input, inputs,
		 "what timestamps count, text in ms, openmetrics in seconds"),
	OPT_LABEL(&labels),
	OPT_FLAG(0, "strict", &strict,
		 "stop at a bad line; status 1 after a warning"),
	OPT_GROUP("Choosing"),
	OPT_LIST(0, "select", "GLOB", &select_globs,
		 "take families of these names only"),
	OPT_LIST(0, "drop", "GLOB", &drop_globs,
		 "leave families of these names out"),
	OPT_LIST(0, "match", "MATCHER", &matches,
		 "take series whose label matches: LABEL=VALUE, LABEL!=VALUE, "
		 "LABEL=~REGEX, LABEL!~REGEX"),
	OPT_GROUP("Names"),
	OPT_FLAG(0, "sanitize", &sanitize, "write ':' in names as '_'"),
	OPT_STR(0, "strip-prefix", "TEXT", &strip_prefix,
		"take TEXT off the front of names"),
	OPT_STR(0, "prefix", "TEXT", &prefix, "put TEXT in front of names"),
	OPT_FLAG(0, "pad-labels", &pad_labels,
		 "give all samples of a family the same labels, missing ones "
		 "as \"\""),
	OPT_GROUP("Reducing"),
	OPT_CALL(0, "by", "LABELS", take_by, "keep these labels only"),
	OPT_CALL(0, "without", "LABELS", take_without,
		 "keep all labels but these"),
	OPT_ENUM(0, "op", "OP", &op, ops,
		 "how samples become one; auto: by type and name"),
	OPT_LIST(0, "mean", "GLOB", &mean_globs,
		 "use mean for families of these names"),
	OPT_LIST(0, "max", "GLOB", &max_globs,
		 "use max for families of these names"),
	OPT_ENUM(0, "nan", "RULE", &nan_rule, nans, "what to do with NaN"),
	OPT_CALL(0, "quantile", "LIST", take_quantiles,
		 "make histograms summaries with these quantiles"),
	OPT_GROUP("Differences"),
	OPT_FLAG(0, "delta", &delta, "write the increase between snapshots"),
	OPT_FLAG(0, "rate", &rate, "write the increase by second"),
	OPT_ENUM(0, "new-series", "RULE", &new_series, fates,
		 "what a series without an earlier value counts"),
	OPT_STR(0, "state", "FILE", &state_path,
		"keep the last snapshot in FILE for the next run"),
	OPT_GROUP("Training steps"),
	OPT_ENUM(0, "step-summary", "ENGINE", &engine, engines,
		 "write the scalars of a step"),
	OPT_STR(0, "key-prefix", "TEXT", &key_prefix,
		"begin keys with TEXT rather than ENGINE"),
	OPT_DOUBLE(0, "window", "SECONDS", &window, -1e12, 1e12,
		   "divide by SECONDS of generation, not by the time between "
		   "snapshots"),
	OPT_GROUP("Output"),
	OPT_OUTPUT(&output_path),
	OPT_FORMAT(&format, formats),
	OPT_COMMON,
};
/* clang-format on */

static const struct program program = {
	.name = "obs-aggregate",
	.synopsis = "[OPTION]... [FILE[@LABEL=VALUE,...]]...",
	.about = "Merge Prometheus text of many workers into one exposition, "
		 "reduce it over labels, and difference snapshots.",
	.options = options,
	.examples = {"obs-scrape --router http://r:30000 | obs-aggregate --by "
		     "worker_addr",
		     "obs-aggregate w1.prom@worker=a w2.prom@worker=b "
		     "--quantile 0.5,0.99",
		     "obs-scrape --interval 5 w:8000 | obs-aggregate "
		     "--step-summary vllm"},
};

/* What was remarked on ------------------------------------------------- */

static struct report report;

static void say_remark(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	if (remark == REMARK_BAD_LINE)
		fail_err(err);
	else
		warn_err(err);
}

static void end_report(void)
{
	for (int i = 0; i < REMARKS; i++) {
		enum remark remark = (enum remark)i;
		const char *rest = report_rest(&report, remark);

		if (rest)
			warn("%s: %llu", rest,
			     (unsigned long long)report.counts[i]);
		if (strict && report.counts[i] > 0 && remark_is_warning(remark))
			status_raise(STATUS_PARTLY);
	}
}

/* What is to be done -------------------------------------------------- */

static struct aggregate_how how;
static struct label_set added_to_all;
static struct arena operand_texts;
static struct output output;
static struct sequence sequence;

static void read_matchers(void)
{
	struct matcher *m = calloc(matches.n + 1, sizeof(*m));
	struct err err;

	if (m == NULL)
		die(STATUS_IO, "out of memory");
	for (size_t i = 0; i < matches.n; i++)
		if (matcher_init(&m[i], matches.v[i], &err) < 0)
			die_usage("--match=%s: %s", matches.v[i], err.text);
	how.matchers = m;
	how.n_matchers = matches.n;
}

static void read_labels(void)
{
	struct err err;

	for (size_t i = 0; i < labels.n; i++)
		if (addition_read(&added_to_all, labels.v[i], &operand_texts,
				  &err) < 0)
			die_usage("--label=%s: %s", labels.v[i], err.text);
}

static void check_usage(void)
{
	bool differs = delta || rate || engine >= 0;

	if (by_given && without_given)
		die_usage("--by and --without exclude each other");
	if (delta && rate)
		die_usage("--delta and --rate exclude each other");
	if (state_path != NULL && !differs)
		die_usage("--state needs --delta, --rate or --step-summary");
	if (engine < 0 && (key_prefix != NULL || window != 0))
		die_usage("--key-prefix and --window need --step-summary");
	if (engine >= 0 && (by_given || without_given || n_quantiles > 0))
		die_usage("--step-summary is a reduction of its own");
}

static void build_how(void)
{
	how.naming = (struct naming){
		.strip_prefix = strip_prefix,
		.prefix = prefix,
		.select = select_globs.v,
		.drop = drop_globs.v,
		.n_select = select_globs.n,
		.n_drop = drop_globs.n,
		.sanitize = sanitize,
	};
	how.reduction = (struct reduce_how){
		.labels = grouping,
		.n_labels = n_grouping,
		.without = !by_given,
		.op = (enum reduce_op)op,
		.mean = mean_globs.v,
		.max = max_globs.v,
		.n_mean = mean_globs.n,
		.n_max = max_globs.n,
		.propagate_nan = nan_rule == 1,
		.quantiles = quantiles,
		.n_quantiles = n_quantiles,
		.differences = delta || rate,
	};
	how.reduce = by_given || without_given || n_quantiles > 0;
	how.pad = pad_labels;
	how.delta = delta;
	how.rate = rate;
	how.new_from_zero = new_series == 1;
	how.window = window;
	how.gauges_first = state_path != NULL;
	if (engine >= 0) {
		how.step = engine_find(engines[engine]);
		how.key_prefix = key_prefix ? key_prefix : engines[engine];
	}
	read_matchers();
	read_labels();
}

/* Reading and writing ------------------------------------------------- */

static int flush_answer(struct err *err)
{
	struct out *out = &output.file.out;

	(void)err;
	out_flush(out);
	if (out->failed && output.is_stdout)
		die_stdout(out->failed);
	return 0;
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (!output.is_stdout || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

static struct metric_sink *open_sink(void)
{
	struct out *out = &output.file.out;
	struct metric_sink *sink;
	struct err err;

	if (format < 0 && engine >= 0)
		format = FORMAT_JSON;
	if (format < 0)
		format = output.is_stdout && isatty(STDOUT_FILENO)
				 ? FORMAT_TABLE
				 : 0;
	sink = format == FORMAT_TABLE
		       ? table_out_new(out, terminal_width(), &err)
		       : sinks[format](out, &err);
	if (!sink)
		die_err(&err);
	return sink;
}

/* When the end of a regular file was written; NaN: it comes as it is read. */
static double mtime_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return (double)NAN;
	return (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9;
}

static enum prom_units units_of_input(void)
{
	if (input > 0)
		return input == 1 ? PROM_ALL_MILLISECONDS : PROM_ALL_SECONDS;
	if (delta || rate || engine >= 0)
		return PROM_ALL_MILLISECONDS;
	return sequence.together ? PROM_BY_BODY : PROM_BY_STREAM;
}

static void give_up(const struct err *err)
{
	output_drop(&output);
	die_err(err);
}

/* A part that cannot be read to its end fails; what was read counts. Returns
 * whether it could be. */
static bool read_fd(int fd, const char *source, const struct label_set *added,
		    bool more)
{
	struct prom_reader r = prom_reader_fd(&fd, units_of_input());
	struct err err;
	int code = sequence_read(&sequence, &r, source, added, mtime_of(fd),
				 more, &err);

	prom_reader_free(&r);
	if (code == ERR_IO)
		fail_err(&err);
	else if (code < 0)
		give_up(&err);
	return code == 0;
}

/* The labels of an operand: those for all, and those behind its '@'. */
static void add_labels(struct label_set *added, const char *operand,
		       const char *text)
{
	struct err err;
	int code = 0;

	for (size_t i = 0; code == 0 && i < added_to_all.n; i++)
		code = label_set_push(added, added_to_all.v[i].name,
				      added_to_all.v[i].value, &err);
	if (code == 0 && text)
		code = addition_read(added, text, &operand_texts, &err);
	if (code < 0)
		die_usage("%s: %s", operand, err.text);
}

/* FILE, or FILE@LABELS. Returns whether it could be read. */
static bool read_operand(const char *operand, struct label_set *added,
			 bool more)
{
	const char *at = addition_find(operand);
	struct str path = str_of(operand);
	int fd = STDIN_FILENO;
	bool whole;

	if (at && access(operand, F_OK) == 0)
		at = NULL;
	if (at)
		path.n = (size_t)(at - operand);
	add_labels(added, operand, at ? at + 1 : NULL);
	path = arena_str(&operand_texts, path);
	if (!path.p)
		die(STATUS_IO, "out of memory");
	if (!str_is(path, "-"))
		fd = open(path.p, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fail("%s: cannot open: %s", path.p, strerror(errno));
		return false;
	}
	whole = read_fd(fd, str_is(path, "-") ? "stdin" : path.p, added, more);
	if (fd != STDIN_FILENO)
		close(fd);
	return whole;
}

/* Returns how much there is that could be read to its end. */
static size_t read_all(size_t n, char **operands)
{
	static struct label_set *added; /* of each operand, until the end */
	size_t whole = 0;

	added = calloc(n + 1, sizeof(*added));
	if (!added)
		die(STATUS_IO, "out of memory");
	if (n == 0)
		whole += read_fd(STDIN_FILENO, "stdin", &added_to_all, false);
	for (size_t i = 0; i < n; i++)
		whole += read_operand(operands[i], &added[i], i + 1 < n);
	return whole;
}

/* The snapshot before, from an earlier run. */
static void read_state(struct aggregate *a)
{
	struct err err;
	int code = state_path ? state_read(a, state_path, &err) : 1;

	if (code < 0)
		die_err(&err);
	if (code == 0)
		note("%s is new: differences begin with the next run",
		     state_path);
}

/* A run that was given no sample says nothing about the series: the next one
 * is compared with the run before. */
static void keep_state(const struct aggregate *a)
{
	struct err err;

	if (!state_path || !a->before)
		return;
	if (a->samples == 0)
		warn("no samples; %s stays as it is", state_path);
	else if (state_write(a->before, state_path, &err) < 0)
		die_err(&err);
}

int main(int argc, char **argv)
{
	static struct aggregate aggregate;
	int first = opt_parse(&program, argc, argv);
	size_t whole;
	struct err err;

	opt_need_input(argc - first);
	operand_texts = arena_new(SIZE_MAX / 2);
	check_usage();
	build_how();
	report = report_new(say_remark, NULL);
	aggregate_init(&aggregate, &how, &report);
	read_state(&aggregate);
	output_open(&output, output_path);
	sequence = (struct sequence){
		.aggregate = &aggregate,
		.sink = open_sink(),
		.together = argc - first > 1 && !delta && !rate,
		.strict = strict,
		.answered = flush_answer,
	};
	whole = read_all((size_t)(argc - first), argv + first);
	if (whole == 0 && aggregate.samples + aggregate.merge.samples == 0)
		exit(STATUS_IO);
	if (sequence_end(&sequence, &err) < 0)
		give_up(&err);
	if ((delta || rate) && !sequence.answers)
		fail("one snapshot only: there is nothing to compare it with");
	sequence.sink->free(sequence.sink);
	output_close(&output);
	keep_state(&aggregate);
	end_report();
	detail("%llu samples read", (unsigned long long)aggregate.samples);
	if (aggregate.samples == 0 && report.counts[REMARK_BAD_LINE] > 0)
		status_raise(STATUS_INPUT);
	return finish();
}
