/* profile-summary: what an engine's GPUs did, from profiler traces. */
#include <math.h>
#include <unistd.h>

#include "common.h"
#include "fmt/file/gzip_read.h"
#include "output.h"
#include "profile_set.h"

/* The output of each format: a report, or two sets of traces compared. */
static const struct {
	int (*put)(struct out *out, const struct profile_report *report,
		   struct err *err);
	int (*put_changes)(struct out *out,
			   const struct profile_compared *compared,
			   struct err *err);
} writers[] = {
	{profile_put_table, profile_put_changes_table},
	{profile_put_json, profile_put_changes_json},
	{profile_put_jsonl, profile_put_changes_jsonl},
	{profile_put_tsv, profile_put_changes_tsv},
};

enum { FORMAT_TABLE, FORMAT_JSON };

static const char *const formats[] = {"table", "json", "jsonl", "tsv", NULL};

static struct {
	int format;
	const char *output;
	int64_t top, gaps, jobs;
	bool compare;
	double threshold; /* negative: none */
} cfg = {.format = -1, .top = 10, .gaps = 5, .threshold = -1};

static const struct opt options[] = {
	OPT_GROUP("Figures"),
	OPT_INT(0, "top", "N", &cfg.top, 0, 100000,
		"list the top N kernels, operators, calls and streams (default "
		"10)"),
	OPT_INT(0, "gaps", "N", &cfg.gaps, 0, 100000,
		"list the N longest gaps and waits (default 5)"),
	OPT_INT('j', "concurrency", "N", &cfg.jobs, 1, 4096,
		"read up to N files at a time (default: one per CPU)"),
	OPT_GROUP("Comparison"),
	OPT_FLAG(0, "compare", &cfg.compare,
		 "compare two operands, each a file, a directory, or JSON "
		 "that was saved; the first is the baseline"),
	OPT_PERCENT("threshold", &cfg.threshold,
		    "with --compare, exit 5 if a figure got worse by more "
		    "than PERCENT, such as 5 or 5%"),
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, formats, ": table on a terminal, else json"),
	OPT_OUTPUT(&cfg.output),
	OPT_COMMON,
};

static const struct program program = {
	.name = "profile-summary",
	.synopsis = "[OPTION]... [TRACE]...",
	.about = "Print what the GPUs did and what they waited for, from "
		 "traces of torch.profiler as SGLang, vLLM and others write "
		 "them: a verdict, busy and idle time, causes of gaps, steps, "
		 "kernels, and which rank the others waited for. A TRACE is a "
		 "file, plain or gzip, or a directory of them; without one, or "
		 "for -, standard input is read.",
	.options = options,
	.examples = {"profile-summary 1766157000-TP-0.trace.json.gz",
		     "profile-summary --compare before/ after/",
		     "zcat t.json.gz | profile-summary -f json | jq .verdicts"},
	.libraries = {{"zlib", gzip_version}},
};

static int format(void)
{
	if (cfg.format >= 0)
		return cfg.format;
	return cfg.output == NULL && isatty(STDOUT_FILENO) ? FORMAT_TABLE
							   : FORMAT_JSON;
}

/* Returns the status if nothing was usable. */
static enum status summarise(const struct profile_reading *how, int count,
			     char **names)
{
	enum status worst = STATUS_DONE;
	struct profile_set set = {0};
	struct output output;
	struct err err = {0};

	output_check_all(cfg.output, (size_t)count, names);
	profile_set_read(&set, how, count, names, &worst);
	if (profile_set_is_usable(&set)) {
		output_open(&output, cfg.output);
		if (writers[format()].put(&output.file.out, &set.report, &err) <
		    0)
			die_err(&err);
		output_close(&output);
		worst = STATUS_DONE;
	}
	profile_set_free(&set);
	return worst;
}

/* Without measurements nothing got worse. */
static bool is_lost(const struct profile_change *c)
{
	return str_is(c->key, "utilisation") && isnan(c->to);
}

static void judge_change(const struct profile_change *c)
{
	if (is_lost(c))
		exceed("%.*s is missing, and the baseline has it",
		       STR_ARG(c->key));
	if (!profile_change_exceeds(c, cfg.threshold / 100))
		return;
	if (isnan(c->change))
		exceed("%.*s: got worse: it was 0", STR_ARG(c->key));
	else
		exceed("%.*s: got worse by %.6g%%, more than %.6g%%",
		       STR_ARG(c->key), 100 * fabs(c->change), cfg.threshold);
}

/* Check the threshold. Comparing nothing is a failure. */
static void judge(const struct profile_compared *compared)
{
	const struct profile_changes *changes = compared->changes;
	size_t common = 0;
	size_t judged = 0;

	for (size_t i = 0; i < changes->n; i++) {
		const struct profile_change *c = &changes->v[i];

		common += !isnan(c->from) && !isnan(c->to);
		judged += profile_change_is_judged(c);
		if (cfg.threshold >= 0)
			judge_change(c);
	}
	if (common == 0)
		fail("%s and %s have no figures in common: nothing was "
		     "compared",
		     compared->from, compared->to);
	else if (judged == 0 && cfg.threshold >= 0)
		fail("%s and %s have no figures in common that can get worse: "
		     "--threshold checked nothing",
		     compared->from, compared->to);
}

static void put_comparison(char **names, const struct profile_totals *from,
			   const struct profile_totals *to)
{
	struct profile_changes changes = {0};
	struct profile_compared compared = {names[0], names[1], &changes};
	struct output output;
	struct err err = {0};

	if (profile_compare(&changes, from, to, (size_t)cfg.top, &err) < 0)
		die_err(&err);
	output_open(&output, cfg.output);
	if (writers[format()].put_changes(&output.file.out, &compared, &err) <
	    0)
		die_err(&err);
	output_close(&output);
	judge(&compared);
	profile_changes_free(&changes);
}

/* Is there anything to compare? */
static bool can_compare(const struct profile_set *set, const char *name,
			enum status *worst)
{
	if (!profile_set_is_usable(set))
		return false;
	if (profile_set_has_events(set))
		return true;
	fail("%s has no events: there is nothing to compare", name);
	if (*worst < STATUS_INPUT)
		*worst = STATUS_INPUT;
	return false;
}

/* Two operands: both must be usable. */
static enum status compare(const struct profile_reading *how, char **names)
{
	enum status worst = STATUS_DONE;
	struct profile_set sets[2] = {0};
	struct profile_totals sums[2] = {0};
	const struct profile_totals *totals[2];
	bool both = true;

	output_check_all(cfg.output, 2, names);
	for (int i = 0; i < 2; i++) {
		profile_set_read(&sets[i], how, 1, &names[i], &worst);
		both &= can_compare(&sets[i], names[i], &worst);
		if (!sets[i].is_saved)
			profile_set_sum(&sets[i], &sums[i]);
		totals[i] = sets[i].is_saved ? &sets[i].saved : &sums[i];
	}
	if (both) {
		put_comparison(names, totals[0], totals[1]);
		worst = STATUS_DONE;
	}
	for (int i = 0; i < 2; i++) {
		profile_totals_free(&sums[i]);
		profile_set_free(&sets[i]);
	}
	return worst;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	int count = argc - first;
	struct profile_reading how = {.top = (size_t)cfg.top,
				      .gaps = (size_t)cfg.gaps,
				      .jobs = cfg.jobs,
				      .saved = cfg.compare};

	if (cfg.compare && count != 2)
		die_usage("--compare needs two operands");
	if (!cfg.compare && cfg.threshold >= 0)
		die_usage("--threshold needs --compare");
	opt_need_input(count);
	opt_check_operands(count, argv + first);
	status_raise(cfg.compare ? compare(&how, argv + first)
				 : summarise(&how, count, argv + first));
	return finish();
}
