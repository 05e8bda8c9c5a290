/*
 * obs-aggregate: merge, reduce and diff Prometheus text expositions.
 *
 * The operands are read in order as one sequence of snapshots
 * (metrics/sequence.h), whose samples are merged or reduced as they are read;
 * each complete snapshot is an answer, written to the sink of the format. With
 * --state, the last snapshot is saved for the next run to subtract.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate_output.h"
#include "base/clock.h"
#include "base/temporary.h"
#include "common.h"
#include "map_input.h"
#include "metrics/addition.h"
#include "metrics/sequence.h"
#include "metrics/state.h"
#include "output.h"
#include "repeats.h"
#include "sink/metrics/alarm_out.h"
#include "sink/metrics/explain.h"
#include "sink/metrics/metric_sink.h"

static struct aggregate_settings settings;
static struct output output;
static struct sequence sequence;
static struct aggregate aggregate;
static struct state_file state;

/* What was remarked on ------------------------------------------------- */

static struct report report;

static void say_remark(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	if (remark_is_failure(remark))
		fail_err(err);
	else if (remark == REMARK_MISSING) /* a later snapshot may have it */
		say_err(err);
	else
		warn_err(err);
}

static void end_report(void)
{
	for (int i = 0; i < REMARKS; i++) {
		enum remark remark = (enum remark)i;
		const char *rest = report_rest(&report, remark);

		if (rest)
			(remark_is_ordinary(remark) ? detail : warn)(
				"%s: %llu", rest,
				(unsigned long long)report.counts[i]);
		if (settings.strict && report.counts[i] > 0 &&
		    remark_is_warning(remark))
			status_raise(STATUS_PARTLY);
	}
}

/* Output and input ---------------------------------------------------- */

static enum prom_units units_of_input(void)
{
	if (settings.input != INPUT_AUTO)
		return settings.input == INPUT_TEXT ? PROM_ALL_MILLISECONDS
						    : PROM_ALL_SECONDS;
	if (aggregate_differs(&settings.how))
		return PROM_ALL_MILLISECONDS;
	return sequence.together ? PROM_BY_BODY : PROM_BY_STREAM;
}

static void give_up(const struct err *err)
{
	output_drop(&output);
	state_close(&state);
	die_err(err);
}

/* The labels of an operand: the common ones, and those after its '@'. */
static void add_labels(struct label_set *added, const char *operand,
		       const char *text)
{
	struct err err;
	int code = 0;

	for (size_t i = 0; code == 0 && i < settings.added.n; i++)
		code = label_set_push(added, settings.added.v[i].name,
				      settings.added.v[i].value, &err);
	if (code == 0 && text)
		code = addition_read(added, text, &settings.texts, &err);
	if (code < 0)
		die_given(operand, NULL, &err);
}

/* Split FILE or FILE@LABELS; *labels is NULL or what follows the '@'. */
static struct str split_operand(const char *operand, const char **labels)
{
	const char *at = addition_find(operand);

	*labels = NULL;
	if (at == NULL || access(operand, F_OK) == 0)
		return str_of(operand);
	*labels = at + 1;
	return str_make(operand, (size_t)(at - operand));
}

/* Standard input can only be read once. */
static void check_operands(size_t n, char **operands)
{
	const char *labels;
	int stdins = 0;

	for (size_t i = 0; i < n; i++)
		stdins += str_is(split_operand(operands[i], &labels), "-");
	if (stdins > 1)
		die_usage("standard input given twice");
}

/* Remove operands that repeat a file and its labels; how many are left. With
 * --delta and --rate each is a snapshot, which may have changed nothing. */
static size_t drop_repeated(size_t n, char **operands)
{
	struct repeats repeats = {0};
	size_t left = 0;

	if (settings.how.delta || settings.how.rate)
		return n;
	for (size_t i = 0; i < n; i++) {
		const char *labels;
		struct str path = split_operand(operands[i], &labels);

		path = arena_str(&settings.texts, path);
		if (path.p == NULL)
			die_memory();
		if (!repeats_has_labelled(&repeats, path.p,
					  str_of(labels ? labels : "")))
			operands[left++] = operands[i];
	}
	repeats_free(&repeats);
	return left;
}

enum { NAME_SIZE = 4096 };

static struct {
	char **v;
	size_t n, next;
	const char *labels; /* of the current operand */
	char *name;	    /* its name in messages */
} operands;

static void close_fd(int fd)
{
	if (fd != STDIN_FILENO)
		close(fd);
}

/* Open the next operand, FILE or FILE@LABELS; negative on failure. */
static int open_operand(void)
{
	struct str path =
		split_operand(operands.v[operands.next++], &operands.labels);
	int fd;

	path = arena_str(&settings.texts, path);
	if (path.p == NULL)
		die_memory();
	if (str_is(path, "-")) {
		snprintf(operands.name, NAME_SIZE, "stdin");
		return STDIN_FILENO;
	}
	fd = open(path.p, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("%s: cannot open: %s", path.p, strerror(errno));
	else
		snprintf(operands.name, NAME_SIZE, "%s", path.p);
	return fd;
}

static bool same_labels(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Histories are merged by time, since each may have other metrics for the same
 * times. Labels of their own would be lost. */
static bool next_history(void *p)
{
	int *fd = p, opened = -1;
	const char *labels = operands.labels;
	struct err err;

	while (opened < 0 && operands.next < operands.n) {
		opened = open_operand();
		if (same_labels(labels, operands.labels))
			continue;
		err_set(&err, ERR_INPUT,
			"histories with different labels cannot be merged by "
			"time; add the labels to each file by itself first");
		err_in(&err, operands.v[operands.next - 1]);
		give_up(&err);
	}
	if (opened < 0)
		return false;
	close_fd(*fd);
	*fd = opened;
	return true;
}

/* A part that cannot be read to its end fails; what was read counts. Returns
 * whether it was complete. */
static bool read_fd(int fd, const char *source, const struct label_set *added,
		    bool (*next)(void *fd))
{
	struct metric_stream r =
		metric_stream_fd(&fd, units_of_input(), sequence.together);
	struct err err = {0};
	double written;
	int code = io_written(fd, &written, &err);

	/* What is reduced at once keeps no text. */
	if (!settings.how.reduce || aggregate_differs(&settings.how))
		r.mapped = map_input(fd);
	if (code == 0 && sequence.together && settings.how.step.summary &&
	    operands.next == 1) {
		code = metric_stream_all_history(&r, &err);
		sequence.together = code != 1;
	}
	if (!sequence.together)
		r.next = next;
	if (code < 0)
		err_in(&err, source);
	else
		code = sequence_read(&sequence, &r, source, added, written,
				     next != NULL && operands.next < operands.n,
				     &err);
	metric_stream_free(&r);
	close_fd(fd);
	if (code == ERR_IO)
		fail_err(&err);
	else if (code < 0)
		give_up(&err);
	return code == 0;
}

/* Its labels and its name live until the end, as what was read does. */
static bool read_operand(void)
{
	const char *operand = operands.v[operands.next];
	struct label_set *set = arena_array(&settings.texts, 1, sizeof(*set));
	int fd;

	operands.name = arena_alloc(&settings.texts, NAME_SIZE);
	if (set == NULL || operands.name == NULL)
		die_memory();
	fd = open_operand();
	add_labels(set, operand, operands.labels);
	return fd >= 0 && read_fd(fd, operands.name, set, next_history);
}

/* Returns how many could be read to their end. */
static size_t read_all(size_t n, char **names)
{
	size_t whole = 0;

	if (n == 0)
		return read_fd(STDIN_FILENO, "stdin", &settings.added, NULL);
	operands.v = names;
	operands.n = n;
	while (operands.next < n)
		whole += read_operand();
	return whole;
}

/* The state ----------------------------------------------------------- */

static int64_t state_opened; /* monotonic time */
static int64_t state_cost;   /* nanoseconds spent writing so far */
static bool state_is_new;    /* there was no file */

/* The previous snapshot, from an earlier run. */
static void read_state(const char *path)
{
	struct err err;
	int code;

	temporary_clean(path);
	code = state_open(&state, path, false, &err);
	state_opened = clock_monotonic();
	if (code == 0) {
		note("%s: waiting for another run that uses it", path);
		code = state_open(&state, path, true, &err);
	}
	if (code > 0 && !state.locked)
		warn("%s: cannot be locked; run one at a time", path);
	if (code > 0)
		code = state_read(&aggregate, &state, &err);
	if (code < 0) {
		state_close(&state);
		die_err(&err);
	}
	state_is_new = code == 0;
}

/* Save the last snapshot that can be compared. */
static void write_state(void)
{
	int64_t start = clock_monotonic();
	struct err err;

	if (state.path == NULL || aggregate.before == NULL || aggregate.primed)
		return;
	if (state_write(aggregate.before, state.path, &err) < 0)
		die_err(&err);
	state_cost += clock_monotonic() - start;
}

/* Of many snapshots in a row, skip some: spend a second, and later a twentieth
 * of the time. */
static bool state_is_affordable(void)
{
	int64_t elapsed = clock_monotonic() - state_opened;

	return state_cost < NS_PER_SECOND + elapsed / 20;
}

static void end_state(void)
{
	bool kept = aggregate.before != NULL && !aggregate.primed;

	if (state.path == NULL)
		return;
	write_state();
	if (!kept)
		warn("no %s; %s %s",
		     aggregate.samples == 0	 ? "samples"
		     : settings.how.step.summary ? "metrics of the engine"
						 : "counters",
		     state.path,
		     state_is_new ? "is not created" : "stays as it is");
	else if (state_is_new)
		note("created %s: differences begin with the next run",
		     state.path);
	state_close(&state);
}

/* Reading and writing ------------------------------------------------- */

/* Saved before a reader sees the output, so that the next run does not repeat
 * it, even if this one is killed in the middle of a stream. */
static int end_answer(struct err *err)
{
	struct out *out = &output.file.out;

	(void)err;
	out_flush(out);
	if (out->failed && output.is_stdout)
		die_stdout(out->failed);
	if (output.is_stdout && sequence.closed && state_is_affordable())
		write_state();
	return 0;
}

/* An alarm begins or ends. */
static int report_alarm(const struct alarm_event *event, struct err *err)
{
	struct out *out = &output.file.out;

	if (event->begins && settings.fail_on.fatal[event->kind])
		status_raise(STATUS_THRESHOLD);
	return settings.format < 0 ? alarm_out_text(out, event, err)
				   : alarm_out_json(out, event, err);
}

/* --explain: the text on one metric or alarm. */
static int explain(const char *name)
{
	struct buf similar = buf_new(SIZE_MAX);

	output_open(&output, settings.output_path);
	if (explain_alarm(&output.file.out, str_of(name)) ||
	    explain_metric(&output.file.out, str_of(name)) > 0) {
		output_close(&output);
		return finish();
	}
	output_drop(&output);
	explain_similar(&similar, str_of(name));
	if (similar.n > 0)
		die_usage("no metric or alarm is named %s; did you mean %.*s",
			  name, (int)similar.n, similar.p);
	die_usage("no metric or alarm is named %s; obstools-metrics(7) lists "
		  "all",
		  name);
}

static uint64_t count_samples(void)
{
	return aggregate.samples + aggregate.merge.samples;
}

/* Are all metrics for a step or alarms missing? Those excluded by options count
 * as present. */
static bool knows_nothing(bool missing)
{
	const struct aggregate_how *how = &settings.how;

	return aggregate.known == 0 &&
	       ((how->step.summary != NULL && !missing) ||
		how->watch.alarms != NULL);
}

/* Does the output have what was requested? If not, keep the earlier file. */
static bool is_useful(bool missing)
{
	const struct aggregate_how *how = &settings.how;

	if ((how->delta || how->rate) && !sequence.answers) {
		aggregate_report_no_change(&aggregate);
		return false;
	}
	if (!knows_nothing(missing))
		return true;
	status_raise(STATUS_INPUT);
	return false;
}

/* Nothing was understood, so nothing is written. */
static noreturn void leave_without(enum status status)
{
	output_drop(&output);
	state_close(&state);
	end_report();
	status_raise(status);
	exit(finish());
}

int main(int argc, char **argv)
{
	int first = aggregate_settings_read(&settings, argc, argv);
	const struct aggregate_how *how = &settings.how;
	bool missing;
	bool useful;
	size_t count = (size_t)(argc - first);
	size_t whole;
	struct err err;

	if (settings.explained)
		return explain(settings.explained);
	check_operands(count, argv + first);
	count = drop_repeated(count, argv + first);
	report = report_new(say_remark, NULL);
	settings.how.watch.report = report_alarm;
	aggregate_init(&aggregate, how, &report);
	if (settings.state_path)
		read_state(settings.state_path);
	output_open(&output, settings.output_path);
	sequence = (struct sequence){
		.aggregate = &aggregate,
		.sink = aggregate_open_sink(&settings, &output),
		.together = how->reduction.parted,
		.strict = settings.strict,
		.answered = end_answer,
	};
	whole = read_all(count, argv + first);
	if (whole == 0 && count_samples() == 0)
		leave_without(STATUS_IO);
	if (count_samples() == 0 && (report.counts[REMARK_BAD_LINE] > 0 ||
				     report.counts[REMARK_FOREIGN] > 0))
		leave_without(STATUS_INPUT);
	if ((how->watch.alarms != NULL ? alarm_end_input(&sequence, &err)
				       : sequence_end(&sequence, &err)) < 0)
		give_up(&err);
	missing = aggregate_report_missing(&aggregate);
	if (missing)
		status_raise(STATUS_PARTLY);
	useful = is_useful(missing);
	sequence.sink->free(sequence.sink);
	aggregate_end_output();
	if (useful)
		output_close(&output);
	else
		output_drop(&output);
	end_state();
	end_report();
	detail("samples read: %llu", (unsigned long long)aggregate.samples);
	if (how->watch.alarms != NULL && !aggregate_said_empty(&aggregate))
		alarm_options_end(&settings.fail_on, &aggregate);
	return finish();
}
