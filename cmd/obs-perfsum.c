/*
 * obs-perfsum: the perf/ metrics of rollout dumps, and where their time went.
 *
 * Each dump is read sample by sample into a digest (perf_read.h), which goes
 * to the sink of the format.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "common.h"
#include "dump.h"
#include "fmt/torch_file.h"
#include "output.h"
#include "perf_read.h"
#include "sink/digest_sink.h"

enum { PERCENTILES_MAX = 100 };

/* jsonl differs from json in nothing: an object a dump or group, a line each. */
static const char *const formats[] = {"json", "jsonl", "table",
				      "prom", "tsv",   NULL};
static struct digest_sink *(*const new_sinks[])(struct out *out,
						struct err *err) = {
	digest_json_new, digest_json_new, digest_table_new, digest_prom_new,
	digest_tsv_new};
enum { FORMAT_JSON = 0, FORMAT_TABLE = 2 };

static double percentiles[PERCENTILES_MAX];

static struct {
	int format;
	const char *output;
	struct digest_plan plan;
} cfg = {.format = -1,
	 .plan = {.perf.percentiles = percentiles, .by = BY_NOTHING}};

/* Is p among the first n? It makes one key, however often it is asked for. */
static bool is_wanted(double p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (percentiles[i] == p)
			return true;
	return false;
}

/* 50,90,99.9 */
static const char *take_percentiles(const char *text)
{
	static const char accepted[] = "up to 100 numbers from 0 to 100, "
				       "separated by commas";
	size_t n = 0;

	while (n < PERCENTILES_MAX) {
		size_t length = strcspn(text, ",");
		double p;

		if (!num_parse_double(str_make(text, length), &p) || p < 0 ||
		    p > 100)
			return accepted;
		if (!is_wanted(p, n))
			percentiles[n++] = p;
		cfg.plan.perf.percentile_count = n;
		if (text[length] == '\0')
			return NULL;
		text += length + 1;
	}
	return accepted;
}

static const struct opt options[] = {
	OPT_GROUP("Metrics"),
	OPT_CALL('p', "percentiles", "P,...", take_percentiles,
		 "add perf/.../pP, interpolated between values"),
	OPT_SECONDS(0, "rollout-time", "SECONDS", &cfg.plan.perf.rollout_time,
		    1e-9, 1e9,
		    "how long the rollout took; adds the longest_* metrics"),
	OPT_DOUBLE(0, "rollout-num-gpus", "N", &cfg.plan.perf.rollout_gpus,
		   1e-9, 1e9,
		   "with --rollout-time, adds tokens_per_gpu_per_sec"),
	OPT_FLAG(0, "breakdown", &cfg.plan.breakdown,
		 "where the time of the samples went: by span, by activity, by "
		 "phase"),
	OPT_INT(0, "stragglers", "N", &cfg.plan.stragglers, 1, STRAGGLERS_MAX,
		"the N samples that ended last, and why"),
	OPT_ENUM(0, "by", "FIELD", &cfg.plan.by, group_by_words,
		 "all of it for each value of the samples' FIELD"),
	OPT_STRICT,
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, formats),
	OPT_OUTPUT(&cfg.output),
	OPT_COMMON,
};

static const struct program program = {
	.name = "obs-perfsum",
	.synopsis = "[OPTION]... [DUMP]...",
	.about = "Print the perf/ metrics of rollout dumps: latency, queue "
		 "time, throughput and the phases of prefill and decode, of "
		 "all generation requests; or where the time of the samples "
		 "went. A DUMP is what torch.save wrote, a "
		 "pickle, JSON or JSONL; - or none is standard input.",
	.options = options,
	.examples = {"obs-perfsum rollout_42.pt",
		     "obs-perfsum --breakdown --stragglers 10 rollout_42.pt",
		     "zstdcat dump.jsonl.zst | obs-perfsum --format table"},
	.libraries = {{"libarchive", torch_file_version}},
};

/* Read one dump and write what is asked for. */
static void summarise(const char *name, struct digest_sink *sink)
{
	struct err err = {0};
	struct digest *digest = perf_read(name, &cfg.plan);

	if (digest != NULL && sink->put(sink, digest, &err) < 0)
		die_err(&err);
	digest_free(digest);
}

static void summarise_all(int count, char **names, struct out *out)
{
	struct err err = {0};
	struct digest_sink *sink = new_sinks[cfg.format](out, &err);

	if (sink == NULL)
		die_err(&err);
	if (count == 0)
		summarise("-", sink);
	for (int i = 0; i < count; i++)
		summarise(names[i], sink);
	if (sink->end(sink, &err) < 0)
		die_err(&err);
	sink->free(sink);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	struct output output;

	opt_need_input(argc - first);
	if (cfg.plan.perf.rollout_gpus > 0 && cfg.plan.perf.rollout_time == 0)
		die_usage("--rollout-num-gpus needs --rollout-time");
	if (cfg.format < 0)
		cfg.format = cfg.output == NULL && isatty(STDOUT_FILENO)
				     ? FORMAT_TABLE
				     : FORMAT_JSON;
	output_open(&output, cfg.output);
	summarise_all(argc - first, argv + first, &output.file.out);
	if (dump_set_status())
		output_close(&output);
	else
		output_drop(&output);
	return finish();
}
