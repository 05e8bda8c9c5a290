/* profile-summary: what the GPUs of an engine did, from profilers' traces. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "fmt/file/gzip_read.h"
#include "output.h"
#include "profile_files.h"
#include "sink/profile/profile_report.h"

enum { FORMAT_TABLE, FORMAT_JSON, FORMAT_JSONL, FORMAT_TSV };

static const char *const formats[] = {"table", "json", "jsonl", "tsv", NULL};

static int (*const puts_as[])(struct out *out,
			      const struct profile_report *report,
			      struct err *err) = {profile_put_table,
						  profile_put_json,
						  profile_put_jsonl,
						  profile_put_tsv};

static struct {
	int format;
	const char *output;
	int64_t top, gaps, jobs;
} cfg = {.format = -1, .top = 10, .gaps = 5};

static const struct opt options[] = {
	OPT_GROUP("Figures"),
	OPT_INT(0, "top", "N", &cfg.top, 0, 100000,
		"list N kernels, operators, calls and streams (default 10)"),
	OPT_INT(0, "gaps", "N", &cfg.gaps, 0, 100000,
		"list the N longest gaps and waits (default 5)"),
	OPT_INT('j', "concurrency", "N", &cfg.jobs, 1, 4096,
		"read up to N files at a time (default: one per CPU)"),
	OPT_GROUP("Output"),
	OPT_FORMAT(&cfg.format, formats),
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
		 "file, plain or gzip, or a directory of them; - or none is "
		 "standard input.",
	.options = options,
	.examples = {"profile-summary 1766157000-TP-0.trace.json.gz",
		     "profile-summary --top 20 profiles/",
		     "zcat t.json.gz | profile-summary -f json | jq .verdicts"},
	.libraries = {{"zlib", gzip_version}},
};

/* Files, read side by side -------------------------------------------- */

struct reading {
	const struct profile_files *files;
	struct profile_summary **summaries; /* NULL: it cannot be used */
	struct err *errors;
	size_t next;
	pthread_mutex_t lock;
};

static struct profile_summary *read_one(const char *path, struct err *err)
{
	struct gzip_reader *reader = gzip_reader_open(
		strcmp(path, "-") == 0 ? "/dev/stdin" : path, err);
	struct profile_trace *trace;

	if (reader == NULL)
		return NULL;
	trace = profile_trace_read(path, gzip_reader_source(reader), err);
	gzip_reader_close(reader);
	return trace == NULL ? NULL : profile_summarise(trace, err);
}

static void *read_some(void *argument)
{
	struct reading *r = argument;

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

static void read_all(struct reading *r)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t jobs = cfg.jobs > 0     ? (size_t)cfg.jobs
		      : processors > 0 ? (size_t)processors
				       : 1;
	pthread_t *threads;
	size_t started = 0;

	jobs = jobs < r->files->n ? jobs : r->files->n;
	threads = calloc(jobs + 1, sizeof(*threads));
	while (threads != NULL && started + 1 < jobs &&
	       pthread_create(&threads[started], NULL, read_some, r) == 0)
		started++;
	read_some(r);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
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
		fail("%s: skipped %" PRIu64 " damaged events", t->path,
		     t->damaged);
	if (t->skipped > 0)
		warn("%s: skipped %" PRIu64 " events without a valid time",
		     t->path, t->skipped);
	if (t->repaired > 0)
		warn("%s: set %" PRIu64 " invalid durations to 0", t->path,
		     t->repaired);
	return true;
}

/* Keep the summaries of files that can be used. */
static size_t keep_usable(struct reading *r, enum status *worst)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->files->n; i++) {
		err_in(&r->errors[i], r->files->v[i]);
		if (report_trace(r->summaries[i], &r->errors[i]))
			r->summaries[kept++] = r->summaries[i];
		else if (status_of_err(&r->errors[i]) > *worst)
			*worst = status_of_err(&r->errors[i]);
	}
	return kept;
}

static int format(void)
{
	if (cfg.format >= 0)
		return cfg.format;
	return cfg.output == NULL && isatty(STDOUT_FILENO) ? FORMAT_TABLE
							   : FORMAT_JSON;
}

static void write_report(struct profile_report *report)
{
	struct output output;
	struct err err = {0};

	if (profile_groups_find(&report->groups, report->traces, report->n,
				&err) < 0)
		die_err(&err);
	output_open(&output, cfg.output);
	if (puts_as[format()](&output.file.out, report, &err) < 0)
		die_err(&err);
	output_close(&output);
	profile_groups_free(&report->groups);
}

int main(int argc, char **argv)
{
	int first = opt_parse(&program, argc, argv);
	struct profile_files files = {0};
	struct reading reading = {.files = &files,
				  .lock = PTHREAD_MUTEX_INITIALIZER};
	struct profile_report report = {0};
	enum status worst = STATUS_DONE;

	opt_need_input(argc - first);
	profile_files_find(&files, argc - first, argv + first, &worst);
	reading.summaries = calloc(files.n + 1, sizeof(*reading.summaries));
	reading.errors = calloc(files.n + 1, sizeof(*reading.errors));
	if (reading.summaries == NULL || reading.errors == NULL)
		die_memory();
	read_all(&reading);
	report.n = keep_usable(&reading, &worst);
	report.traces = reading.summaries;
	report.top = (size_t)cfg.top;
	report.gaps = (size_t)cfg.gaps;
	if (report.n > 0)
		write_report(&report);
	else
		status_raise(worst);
	for (size_t i = 0; i < report.n; i++)
		profile_summary_free(report.traces[i]);
	free(reading.summaries);
	free(reading.errors);
	profile_files_free(&files);
	return finish();
}
