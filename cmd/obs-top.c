/* Show live what the engines of a fleet are doing. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "common.h"
#include "metrics/sequence.h"
#include "sink/board/board_out.h"
#include "sink/metrics/alarm_out.h"
#include "top_screen.h"
#include "top_settings.h"
#include "top_source.h"

static struct top_settings settings;
static struct top_source source;
static struct aggregate aggregate;
static struct sequence sequence;
static struct report report;
static struct board board;
static struct top_screen *screen; /* NULL: there is none */
static struct metric_stream reader;
static struct out out;

static void say_remark(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	if (remark_is_failure(remark))
		fail_err(err);
	else
		warn_err(err);
}

/* Lines without a screen ------------------------------------------------ */

static int put_changes(struct err *err)
{
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < board.n_changes; i++)
		code = board_out_change(&out, &board.changes[i],
					settings.format == TOP_JSON, err);
	return code;
}

static int put_event(const struct alarm_event *event, struct err *err)
{
	if (event->begins && settings.fail_on.fatal[event->kind])
		status_raise(STATUS_THRESHOLD);
	if (settings.mode != TOP_EVENTS)
		return 0;
	return settings.format == TOP_JSON ? alarm_out_json(&out, event, err)
					   : alarm_out_text(&out, event, err);
}

/* Print the table of the last frame. */
static int put_table(struct err *err)
{
	static int (*const formats[])(struct out * out,
				      const struct board_view *v,
				      struct err *err) = {
		[TOP_TEXT] = board_out_table,
		[TOP_JSON] = board_out_json,
		[TOP_TSV] = board_out_tsv,
	};
	const struct board_view_how how = {.frame = board.n_frames - 1,
					   .by = settings.by,
					   .filter = str_of(settings.filter),
					   .sort = settings.sort,
					   .reversed = settings.reversed};
	struct board_view view;
	int code = board_view_make(&view, &board, &how, err);

	if (code == 0)
		code = formats[settings.format](&out, &view, err);
	board_view_free(&view);
	return code;
}

static void end_output(void)
{
	out_flush(&out);
	if (out.failed)
		die_stdout(out.failed);
}

/* Reading --------------------------------------------------------------- */

static int take_judged(const struct vitals *vitals,
		       const struct alarm_event *events, size_t n,
		       struct err *err)
{
	int code = board_take(&board, vitals, events, n,
			      settings.how.watch.alarms, err);

	if (code == 0 && settings.mode == TOP_EVENTS)
		code = put_changes(err);
	return code;
}

/* A snapshot was read to its end. 1: no more are needed. */
static int end_answer(struct err *err)
{
	(void)err;
	if (screen != NULL)
		return top_screen_update(screen);
	end_output();
	return settings.mode == TOP_ONCE && board.n_frames > 0 &&
	       board_frame_at(&board, board.n_frames - 1)->measured;
}

static void read_stream(void)
{
	struct err err = {0};
	int code = sequence_read(&sequence, &reader, source.name, NULL,
				 source.written, false, &err);

	if (top_screen_quits(screen))
		return;
	if (code == 0)
		code = alarm_end_input(&sequence, &err);
	if (code < 0) {
		top_screen_close(screen);
		top_source_close(&source);
		die_err(&err);
	}
}

/* The end --------------------------------------------------------------- */

/* Has a message said why the input has no samples? */
static bool is_explained(void)
{
	return report.counts[REMARK_BAD_LINE] > 0 ||
	       report.counts[REMARK_FOREIGN] > 0 ||
	       (report.counts[REMARK_EMPTY] > 0 && !quiet);
}

static void say_nothing_known(void)
{
	if (aggregate.samples > 0)
		fail("no engine metrics in the input; obstools-metrics(7) "
		     "lists all");
	else if (!is_explained())
		fail("no samples in the input; it must be metrics, as "
		     "obs-scrape prints them");
	status_raise(STATUS_INPUT);
}

/* Does a saved stream go on after the snapshot that --once shows? A live one
 * is not waited for. */
static bool has_more(void)
{
	struct prom_line line;
	struct stat st;
	struct err err;

	return fstat(source.fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       board_frame_at(&board, board.n_frames - 1)->measured &&
	       metric_stream_next(&reader, &line, &err) == 1;
}

static void warn_unjudged(void)
{
	bool fatal = false;

	for (int kind = 0; kind < ALARMS; kind++)
		fatal |= settings.fail_on.fatal[kind];
	if (fatal && has_more())
		warn("--fail-on checked only the snapshots up to the first full "
		     "window; use --events to check the whole stream");
}

static void end_once(void)
{
	struct err err;

	if (!alarm_report_late(&aggregate) && board.n_frames == 1)
		note("one snapshot only: rates and percentiles need two; use "
		     "obs-scrape --interval");
	if (put_table(&err) < 0)
		die_err(&err);
	end_output();
	alarm_report_lost(&aggregate);
}

static void begin(void)
{
	settings.how.watch.report = put_event;
	settings.how.watch.judged = take_judged;
	report = report_new(say_remark, NULL);
	aggregate_init(&aggregate, &settings.how, &report);
	board = board_new(settings.window);
	sequence = (struct sequence){.aggregate = &aggregate,
				     .answered = end_answer};
	reader = metric_stream_new(top_source_read, &source,
				   PROM_ALL_MILLISECONDS, false);
}

int main(int argc, char **argv)
{
	struct err err;

	top_settings_read(&settings, argc, argv);
	if (out_open(&out, STDOUT_FILENO, &err) < 0)
		die_err(&err);
	top_source_open(&source, settings.command, settings.mode == TOP_SCREEN);
	begin();
	if (settings.mode == TOP_SCREEN)
		screen = top_screen_open(&settings, &board, &source, &reader,
					 &sequence);
	read_stream();
	if (screen != NULL && aggregate.known > 0 && !top_screen_quits(screen))
		top_screen_stay(screen);
	top_screen_close(screen);
	if (settings.mode == TOP_ONCE && aggregate.known > 0)
		warn_unjudged();
	top_source_close(&source);
	if (aggregate.known == 0 && !top_screen_quits(screen))
		say_nothing_known();
	else if (settings.mode == TOP_ONCE)
		end_once();
	else if (settings.mode == TOP_EVENTS)
		alarm_options_end(&settings.fail_on, &aggregate);
	return top_screen_finish(screen);
}
