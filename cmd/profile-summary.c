/* profile-summary: what the GPUs of an engine did, from profilers' traces. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "common.h"
#include "fmt/file/gzip_read.h"
#include "output.h"
#include "profile_files.h"
#include "sink/profile/profile_report.h"

/* What each format writes: a report, or two sets of traces compared. */
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
};

enum { FORMAT_TABLE, FORMAT_JSON };

static const char *const formats[] = {"table", "json", "jsonl", NULL};

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
		 "compare two operands; the first is the baseline"),
	OPT_DOUBLE(0, "threshold", "PERCENT", &cfg.threshold, 0, 1e6,
		   "with --compare, exit 5 if a figure got worse by more "
		   "than PERCENT"),
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

/* Files, read side by side -------------------------------------------- */

struct trace_reading {
	const struct profile_files *files;
	struct profile_summary **summaries; /* NULL: it cannot be used */
	struct err *errors;
	size_t next;
	pthread_mutex_t lock;
};

static struct profile_summary *read_one(const char *path, struct err *err)
{
	struct gzip_reader *reader = gzip_reader_open(path, err);
	struct profile_trace *trace;

	if (reader == NULL)
		return NULL;
	trace = profile_trace_read(path, gzip_reader_source(reader),
				   LIMIT_RECORDS, err);
	gzip_reader_close(reader);
	return trace == NULL ? NULL
			     : profile_summarise(trace, (size_t)cfg.gaps, err);
}

static void *read_some(void *argument)
{
	struct trace_reading *r = argument;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&r->lock);
		i = r->next++;
		pthread_mutex_unlock(&r->lock);
		if (i >= r->files->n)
			return NULL;
		r->summaries[i] = read_one(r->files->v[i], &r->errors[i]);
	}
}

/* How many of n files to read at a time. */
static size_t jobs_for(size_t n)
{
	int64_t jobs = cfg.jobs;

	if (jobs == 0 && n > 1)
		jobs = sysconf(_SC_NPROCESSORS_ONLN);
	if (jobs < 1)
		jobs = 1;
	return (size_t)jobs < n ? (size_t)jobs : n;
}

static void read_all(struct trace_reading *r)
{
	size_t jobs = jobs_for(r->files->n);
	pthread_t *threads;
	size_t started = 0;

	threads = calloc(jobs + 1, sizeof(*threads));
	while (threads != NULL && started + 1 < jobs &&
	       pthread_create(&threads[started], NULL, read_some, r) == 0)
		started++;
	read_some(r);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Nothing to summarise, or a gap that a wrong time made. That only the GPU's
 * events are missing is a verdict. */
static void report_events(const struct profile_summary *s)
{
	static const double week_ns = 7 * 86400.0 * (double)NS_PER_SECOND;
	const struct profile_trace *t = s->trace;
	double window = (double)t->latest - (double)t->earliest;

	if (t->latest < t->earliest)
		warn("%s: no events", t->path);
	if (window > week_ns && t->latest > t->earliest)
		warn("%s: its events lie up to %.0f days apart; one of its "
		     "times is wrong",
		     t->path, window / week_ns * 7);
}

/* What could not be read of a trace; true when some of it can be used. */
static bool report_trace(const struct profile_summary *s, struct err *err)
{
	const struct profile_trace *t;

	if (s == NULL) {
		fail_err(err);
		return false;
	}
	t = s->trace;
	if (t->truncated) {
		struct err cut = t->cut;

		err_in(&cut, t->path);
		fail_err(&cut);
	}
	if (t->damaged > 0)
		fail("%s: skipped %" PRIu64 " damaged event%s", t->path,
		     t->damaged, plural(t->damaged));
	if (t->skipped > 0)
		warn("%s: skipped %" PRIu64 " event%s without a valid time",
		     t->path, t->skipped, plural(t->skipped));
	if (t->repaired > 0)
		warn("%s: set %" PRIu64 " invalid duration%s to 0", t->path,
		     t->repaired, plural(t->repaired));
	report_events(s);
	return true;
}

/* Traces and what they were read from. */
struct set {
	struct profile_files files;
	struct profile_report report;
};

/* Read the traces of some operands; those that cannot be used are reported. */
static void read_set(struct set *set, int count, char **names,
		     enum status *worst)
{
	struct trace_reading r = {.files = &set->files,
				  .lock = PTHREAD_MUTEX_INITIALIZER};
	struct err err = {0};

	profile_files_find(&set->files, count, names, worst);
	r.summaries = calloc(set->files.n + 1, sizeof(*r.summaries));
	r.errors = calloc(set->files.n + 1, sizeof(*r.errors));
	if (r.summaries == NULL || r.errors == NULL)
		die_memory();
	read_all(&r);
	for (size_t i = 0; i < set->files.n; i++) {
		err_in(&r.errors[i], set->files.v[i]);
		if (report_trace(r.summaries[i], &r.errors[i]))
			r.summaries[set->report.n++] = r.summaries[i];
		else if (status_of_err(&r.errors[i]) > *worst)
			*worst = status_of_err(&r.errors[i]);
	}
	free(r.errors);
	set->report.traces = r.summaries;
	set->report.top = (size_t)cfg.top;
	set->report.gaps = (size_t)cfg.gaps;
	if (profile_groups_find(&set->report.groups, set->report.traces,
				set->report.n, &err) < 0)
		die_err(&err);
}

static void free_set(struct set *set)
{
	profile_groups_free(&set->report.groups);
	for (size_t i = 0; i < set->report.n; i++)
		profile_summary_free(set->report.traces[i]);
	free(set->report.traces);
	profile_files_free(&set->files);
}

static int format(void)
{
	if (cfg.format >= 0)
		return cfg.format;
	return cfg.output == NULL && isatty(STDOUT_FILENO) ? FORMAT_TABLE
							   : FORMAT_JSON;
}

/* Returns the status when nothing could be used. */
static enum status summarise(int count, char **names)
{
	enum status worst = STATUS_DONE;
	struct set set = {0};
	struct output output;
	struct err err = {0};

	read_set(&set, count, names, &worst);
	if (set.report.n > 0) {
		output_open(&output, cfg.output);
		if (writers[format()].put(&output.file.out, &set.report, &err) <
		    0)
			die_err(&err);
		output_close(&output);
		worst = STATUS_DONE;
	}
	free_set(&set);
	return worst;
}

/* Nothing got worse where nothing was measured. */
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

/* Judge by the threshold. A comparison of nothing is a failure. */
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
		     "--threshold judged nothing",
		     compared->from, compared->to);
}

static struct profile_side side_of(const struct set *set)
{
	return (struct profile_side){set->report.traces, set->report.n,
				     &set->report.groups};
}

/* The same of two operands compared: both must be usable. */
static enum status compare(char **names)
{
	enum status worst = STATUS_DONE;
	struct set from = {0}, to = {0};
	struct profile_changes changes = {0};
	struct profile_side a, b;
	struct profile_compared compared = {names[0], names[1], &changes};
	struct output output;
	struct err err = {0};

	read_set(&from, 1, &names[0], &worst);
	read_set(&to, 1, &names[1], &worst);
	a = side_of(&from);
	b = side_of(&to);
	if (a.n > 0 && b.n > 0) {
		if (profile_compare(&changes, &a, &b, (size_t)cfg.top, &err) <
		    0)
			die_err(&err);
		output_open(&output, cfg.output);
		if (writers[format()].put_changes(&output.file.out, &compared,
						  &err) < 0)
			die_err(&err);
		output_close(&output);
		judge(&compared);
		worst = STATUS_DONE;
	}
	profile_changes_free(&changes);
	free_set(&from);
	free_set(&to);
	return worst;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	int count = argc - first;

	if (cfg.compare && count != 2)
		die_usage("--compare needs two operands");
	if (!cfg.compare && cfg.threshold >= 0)
		die_usage("--threshold needs --compare");
	opt_need_input(count);
	opt_check_operands(count, argv + first);
	status_raise(cfg.compare ? compare(argv + first)
				 : summarise(count, argv + first));
	return finish();
}
