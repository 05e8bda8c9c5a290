/*
 * trace-span: spans around commands, and events, appended to a trace file.
 *
 * A command runs as it would without trace-span: errors in the trace are
 * reported, and the exit status is the command's.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attr_args.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/num.h"
#include "common.h"
#include "fmt/value/value_make.h"
#include "rollout/sglang_meta.h"
#include "span_attempt.h"
#include "span_collect.h"
#include "span_run.h"
#include "trace/record.h"

static struct attr_args start_attrs, end_attrs;

static struct {
	const char *file;
	const char *event;
	struct opt_list samples;
	const char *group;
	const char *trace_id;
	bool next_attempt;
	bool sglang_meta;
	bool collect;
	const char *output;
} cfg;

static const char *take_attr(const char *text)
{
	return attr_args_take(&start_attrs, str_of(text));
}

static const char *take_end_attr(const char *text)
{
	return attr_args_take(&end_attrs, str_of(text));
}

static const struct opt options[] = {
	OPT_GROUP("Recording"),
	OPT_STR(0, "file", "FILE", &cfg.file,
		"append to FILE instead of $OBS_TRACE_FILE"),
	OPT_STR(0, "event", "NAME", &cfg.event,
		"record an event instead of running a command"),
	OPT_CALL('a', "attr", "NAME=VALUE", take_attr,
		 "set an attribute of the span's start, or of the event; VALUE "
		 "is a number, true, false, null or text; NAME:=JSON sets any "
		 "JSON; may be repeated"),
	OPT_CALL(0, "end-attr", "NAME=VALUE", take_end_attr,
		 "set an attribute of the span's end; may be repeated"),
	OPT_FLAG(0, "sglang-meta", &cfg.sglang_meta,
		 "pass COMMAND's output on, and record the timings from "
		 "SGLang's answers"),
	OPT_GROUP("Sample and group"),
	OPT_LIST('s', "sample", "ID", &cfg.samples,
		 "record for this sample; with several IDs (ID,ID or repeated), "
		 "record one span for each"),
	OPT_STR('g', "group", "ID", &cfg.group,
		"record for this group of samples"),
	OPT_STR(0, "trace-id", "ID", &cfg.trace_id,
		"record with the trace ID that the trainer gave the sample"),
	OPT_FLAG(0, "next-attempt", &cfg.next_attempt,
		 "record for the attempt after the sample's last one"),
	OPT_GROUP("Collecting"),
	OPT_FLAG(0, "collect", &cfg.collect,
		 "print the records in FILEs as samples with their traces"),
	OPT_OUTPUT(&cfg.output),
	OPT_COMMON,
};

static const struct program program = {
	.name = "trace-span",
	.synopsis = "[OPTION]... [NAME --] COMMAND [ARG]...",
	.about = "Run COMMAND and append a span for it to a trace file, to be "
		 "shown in the trainer's timeline. NAME defaults to the "
		 "command's name. If COMMAND runs trace-span itself, those "
		 "spans are nested in this one. The exit status is COMMAND's. "
		 "If no trace file is set, nothing is recorded.",
	.options = options,
	.examples = {"trace-span --sample 17 reward -- ./score.sh answer.txt",
		     "trace-span --sglang-meta sglang_generate -- curl -sd @q "
		     "$URL",
		     "trace-span --collect spans.jsonl > rollout.json"},
	.prefix = true,
};

/* Whose the records are -------------------------------------------------- */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL ? value : "";
}

/* The operands of --sample as one list; NULL if there are none. */
static const char *joined_samples(void)
{
	static struct buf list = {.max = LIMIT_STRING};

	if (cfg.samples.n == 0)
		return NULL;
	for (size_t i = 0; i < cfg.samples.n; i++) {
		if (i > 0)
			buf_putc(&list, ',');
		buf_puts(&list, cfg.samples.v[i]);
	}
	buf_putc(&list, '\0');
	if (list.failed)
		die_memory();
	return list.p;
}

/* If samples or trace differ from the enclosing span's, start a new tree: it
 * has no parent there. */
static struct obs_trace_options choose(void)
{
	struct obs_trace_options o = {.file = cfg.file,
				      .trace_id = cfg.trace_id,
				      .sample_id = joined_samples(),
				      .group_id = cfg.group};
	bool same_sample = o.sample_id == NULL ||
			   strcmp(o.sample_id, variable("OBS_TRACE_SAMPLE")) ==
				   0;
	bool same_trace = o.trace_id == NULL ||
			  strcmp(o.trace_id, variable("OBS_TRACE_ID")) == 0;

	if (!same_sample && o.trace_id == NULL)
		o.trace_id = "";
	if (!same_sample || !same_trace) {
		o.parent_id = "";
		o.attempt = "0";
	}
	return o;
}

/* --next-attempt: one more than the file's highest for the samples. */
static void choose_attempt(struct obs_trace_options *o)
{
	static char text[NUM_INT_MAX + 1];
	const char *known = o->attempt ? o->attempt
				       : variable("OBS_TRACE_ATTEMPT");
	int64_t attempt = span_attempt(
		o->file ? o->file : variable("OBS_TRACE_FILE"),
		o->trace_id ? o->trace_id : variable("OBS_TRACE_ID"),
		o->sample_id ? o->sample_id : variable("OBS_TRACE_SAMPLE"));
	int64_t least = 0;

	num_parse_int(str_of(known), &least);
	text[num_put_int(text, (attempt > least ? attempt : least) + 1)] = '\0';
	o->attempt = text;
}

/* A script may run with and without a trace; an interactive user wants to
 * know. */
static void say_no_file(void)
{
	if (cfg.file != NULL)
		warn("--file is empty: nothing is recorded");
	else if (isatty(STDERR_FILENO))
		note("no --file and no OBS_TRACE_FILE: nothing is recorded");
	else
		detail("no --file and no OBS_TRACE_FILE: nothing is recorded");
}

/* NULL if there is no file to append to: then nothing is recorded. */
static struct obs_trace *open_trace(void)
{
	struct obs_trace_options o = choose();
	const char *file = o.file ? o.file : variable("OBS_TRACE_FILE");
	struct obs_trace *trace;

	if (*file == '\0') {
		say_no_file();
		return NULL;
	}
	if (cfg.next_attempt)
		choose_attempt(&o);
	trace = obs_trace_open(&o);
	if (trace == NULL && errno == EINVAL)
		warn("%s: cannot record: not a file of text, or the trace ID "
		     "is not valid",
		     file);
	else if (trace == NULL)
		warn("%s: cannot record: %s", file, strerror(errno));
	return trace;
}

static void close_trace(struct obs_trace *trace)
{
	uint64_t lost = obs_trace_lost(trace);

	if (lost > 0)
		warn("%llu record%s could not be written",
		     (unsigned long long)lost, lost == 1 ? "" : "s");
	obs_trace_close(trace);
}

/* What SGLang said ------------------------------------------------------- */

/* A finished span below parent. */
struct past {
	char name[64];
	char id[17];
	int64_t start;
};

static struct past begin_past(const struct obs_span *span, const char *parent,
			      int64_t start, const char *phase,
			      const char *segment)
{
	struct past past = {.start = start};
	struct trace_record record = {.type = "span_start",
				      .name = past.name,
				      .ts = start,
				      .attempt = span->attempt,
				      .span_id = past.id,
				      .parent_id = parent};

	snprintf(past.name, sizeof(past.name), "sglang_pd_%s%s%s", phase,
		 *segment == '\0' ? "" : "_", segment);
	trace_record_new_id(span->trace, past.id);
	trace_record(span->trace, &record);
	return past;
}

static void end_past(const struct obs_span *span, const struct past *past,
		     int64_t end, const struct obs_attr *attrs, size_t n)
{
	struct trace_record record = {.type = "span_end",
				      .name = past->name,
				      .ts = end,
				      .attempt = span->attempt,
				      .span_id = past->id,
				      .parent_id = "",
				      .attrs = attrs,
				      .n = n};

	trace_record(span->trace, &record);
}

static int64_t ns_of(double seconds)
{
	return llround(seconds * (double)NS_PER_SECOND);
}

/* Record a phase that begins at start; returns its end. */
static int64_t put_phase(const struct obs_span *span,
			 const struct sglang_meta *meta, size_t p,
			 int64_t start)
{
	const char *name = sglang_phase_name(p);
	struct past phase, segment;
	struct obs_attr attrs[2];
	double total = 0;

	for (size_t i = 0; i < SGLANG_SEGMENTS; i++)
		total += meta->seconds[p][i];
	if (total <= 0)
		return start;
	phase = begin_past(span, span->id, start, name, "");
	total = 0;
	for (size_t i = 0; i < SGLANG_SEGMENTS; i++) {
		double seconds = meta->seconds[p][i];
		const char *part = sglang_segment_name(p, i);
		char key[64];

		if (seconds <= 0)
			continue;
		snprintf(key, sizeof(key), "pd_%s_%s_duration", name, part);
		attrs[0] = obs_double(key, seconds);
		segment = begin_past(span, phase.id, start + ns_of(total), name,
				     part);
		total += seconds;
		end_past(span, &segment, start + ns_of(total), attrs, 1);
	}
	attrs[0] = obs_text("phase", name);
	attrs[1] = obs_double("duration_s", total);
	end_past(span, &phase, start + ns_of(total), attrs, 2);
	return start + ns_of(total);
}

static void put_summary(const struct obs_span *span,
			const struct sglang_meta *meta, int64_t ts)
{
	struct attr_args attrs = attr_args_new();
	struct trace_record record = {.type = "event",
				      .name = "sglang_pd_summary",
				      .ts = ts,
				      .attempt = span->attempt,
				      .span_id = "",
				      .parent_id = span->id};

	for (size_t i = 0; i < SGLANG_SUMMARY; i++)
		if (meta->summary[i].kind != VALUE_ABSENT)
			attr_args_put(&attrs, sglang_summary_name(i),
				      meta->summary[i]);
	record.attrs = attrs.v;
	record.n = attrs.n;
	if (attrs.n > 0)
		trace_record(span->trace, &record);
	attr_args_free(&attrs);
}

static void put_meta(const struct obs_span *span,
		     const struct sglang_meta *meta)
{
	int64_t at = span->wall;

	for (size_t i = 0; i < SGLANG_PLAIN; i++)
		if (meta->plain[i].kind != VALUE_ABSENT)
			attr_args_put(&end_attrs, sglang_plain_name(i),
				      meta->plain[i]);
	if (span->trace == NULL)
		return;
	for (size_t p = 0; p < SGLANG_PHASES; p++)
		at = put_phase(span, meta, p, at);
	put_summary(span, meta, at);
}

/* Commands --------------------------------------------------------------- */

static void put_text(const char *key, const char *text)
{
	attr_args_put(&end_attrs, key, value_str(str_of(text)));
}

/* error_type and error_message, like slime's spans. */
static void put_error(const struct span_run *run, const char *command)
{
	int status = run->status;
	const char *type = NULL;
	char message[256];

	if (run->cannot_run != 0) {
		type = "cannot_run";
		snprintf(message, sizeof(message), "%s: %s", command,
			 strerror(run->cannot_run));
	} else if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		type = "signal";
		snprintf(message, sizeof(message), "killed by SIG%s",
			 name != NULL ? name : "RT");
	} else if (WEXITSTATUS(status) != 0) {
		type = "exit_status";
		snprintf(message, sizeof(message), "exit status %d",
			 WEXITSTATUS(status));
	}
	if (type == NULL)
		return;
	put_text("error_type", type);
	put_text("error_message", message);
}

static int run_command(const char *name, char **argv)
{
	struct sglang_meta meta = sglang_meta_new();
	struct obs_trace *trace = open_trace();
	struct obs_span span =
		obs_span_begin(trace, NULL, name, start_attrs.v, start_attrs.n);
	struct span_run run;
	struct err err = {0};

	if (obs_trace_setenv(trace, &span) != 0)
		die_memory();
	run = span_run(argv, &end_attrs, cfg.sglang_meta ? &meta : NULL);
	if (run.cannot_run != 0) {
		bool is_name = run.cannot_run == ENOENT && argv[1] != NULL &&
			       strcmp(name, argv[0]) == 0;

		err_set(&err, ERR_IO, "%s: %s%s", argv[0],
			strerror(run.cannot_run),
			is_name ? "; is '--' missing before the command?" : "");
		say_err(&err);
	}
	put_meta(&span, &meta);
	put_error(&run, argv[0]);
	obs_span_end(&span, end_attrs.v, end_attrs.n);
	close_trace(trace);
	sglang_meta_free(&meta);
	return span_run_finish(&run);
}

static int put_event(void)
{
	struct obs_trace *trace = open_trace();

	obs_event(trace, NULL, cfg.event, start_attrs.v, start_attrs.n);
	close_trace(trace);
	return finish();
}

/* [NAME --] COMMAND [ARG]...: getopt has consumed a leading "--". */
static int run_named(int count, char **argv, bool dashes)
{
	const char *name;

	if (count == 0)
		die_usage("a command is missing");
	if (!dashes && count > 1 && strcmp(argv[1], "--") == 0) {
		if (count == 2)
			die_usage("a command is missing after --");
		return run_command(argv[0], argv + 2);
	}
	name = file_name(argv[0]);
	return run_command(*name != '\0' ? name : argv[0], argv);
}

static void check_usage(int count)
{
	if (cfg.output != NULL && !cfg.collect)
		die_usage("--output is for --collect");
	if (cfg.collect && (cfg.event != NULL || cfg.sglang_meta))
		die_usage("--collect records nothing");
	if (cfg.event != NULL && (count > 0 || cfg.sglang_meta))
		die_usage("--event runs no command");
	if (cfg.event != NULL && end_attrs.n > 0)
		die_usage("--end-attr is for a span; an event has --attr");
}

static int first; /* operand */

/* The operands of --collect are files: options may be among and after them,
 * unlike with a command. */
static void read_collect_options(int argc, char **argv)
{
	static struct program collecting; /* so that messages name it */
	int skipped = first - 1;

	if (strcmp(argv[skipped], "--") == 0)
		return;
	collecting = program;
	collecting.prefix = false;
	optind = 0;
	first = skipped +
		opt_parse(&collecting, argc - skipped, argv + skipped);
}

/* Everything that walks values, which may be deep. Returns the status of
 * --collect; CONTINUE: there is something to record. */
enum { CONTINUE = -1 };
static int read_and_collect(int argc, char **argv)
{
	first = opt_parse(&program, argc, argv);
	if (cfg.collect)
		read_collect_options(argc, argv);
	check_usage(argc - first);
	if (!cfg.collect)
		return CONTINUE;
	opt_need_input(argc - first);
	opt_check_operands(argc - first, argv + first);
	span_collect(argc - first, argv + first, cfg.output);
	return finish();
}

int main(int argc, char **argv)
{
	int status;

	span_run_begin();
	start_attrs = attr_args_new();
	end_attrs = attr_args_new();
	status = run_on_stack(read_and_collect, argc, argv);
	if (status != CONTINUE)
		return status;
	if (cfg.event != NULL)
		status = put_event();
	else
		status = run_named(argc - first, argv + first,
				   strcmp(argv[first - 1], "--") == 0);
	attr_args_free(&start_attrs);
	attr_args_free(&end_attrs);
	return status;
}
