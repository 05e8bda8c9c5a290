/*
 * Any bytes as a stream of snapshots: the board of it stays within its limits,
 * each moment of it can be looked at by any label, and all that is written of
 * it is JSON or a table with a cell per column.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "metrics/sequence.h"
#include "metrics/step.h"
#include "sink/board/board_out.h"

#include "fuzz.h"

static struct board board;
static struct alarms *alarms;

static void say_nothing(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	(void)err;
}

static int take_event(const struct alarm_event *event, struct err *err)
{
	(void)event;
	(void)err;
	return 0;
}

static int take_judged(const struct vitals *vitals,
		       const struct alarm_event *events, size_t n,
		       struct err *err)
{
	return board_take(&board, vitals, events, n, alarms, err);
}

static int answered(struct err *err)
{
	(void)err;
	return 0;
}

static void check_json(struct str text)
{
	struct arena arena = arena_new(256 * MIB);
	struct err err = {0};
	struct value v;

	require(json_parse(text, &arena, &v, &err) == 0);
	arena_free(&arena);
}

static void check_view(const struct board_view_how *how)
{
	static int (*const formats[])(struct out * out,
				      const struct board_view *v,
				      struct err *err) = {
		board_out_json, board_out_table, board_out_tsv};
	struct buf text = buf_new(256 * MIB);
	struct board_view view;
	struct err err = {0};
	struct out out;

	require(board_view_make(&view, &board, how, &err) == 0);
	require(view.n <= board.n);
	for (size_t i = 0; i < 3; i++) {
		buf_clear(&text);
		require(out_open_buf(&out, &text, &err) == 0);
		require(formats[i](&out, &view, &err) == 0);
		require(out_close_buf(&out, &text, &err) == 0);
		if (i == 0)
			check_json(buf_str(&text));
	}
	board_view_free(&view);
	buf_free(&text);
}

static void check_board(void)
{
	static const char *const labels[] = {NULL, "role", "node", "model",
					     "dp_rank"};

	if (board.n_frames == 0)
		return;
	require(board_oldest(&board) < board.n_frames);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		check_view(&(struct board_view_how){.frame = board.n_frames - 1,
						    .by = labels[i],
						    .sort = (int)i * 3});
		check_view(
			&(struct board_view_how){.frame = board_oldest(&board),
						 .by = labels[i],
						 .filter = str_of("1"),
						 .reversed = true,
						 .sort = BOARD_BY_NAME});
	}
}

static void read_all(struct str left, const struct aggregate_how *how)
{
	struct report report = report_new(say_nothing, NULL);
	struct aggregate aggregate;
	struct sequence sequence = {.aggregate = &aggregate,
				    .answered = answered};
	struct metric_stream stream = metric_stream_new(
		read_text, &left, PROM_ALL_MILLISECONDS, false);
	struct err err = {0};

	aggregate_init(&aggregate, how, &report);
	if (sequence_read(&sequence, &stream, "input", NULL, 1e9, false,
			  &err) == 0)
		sequence_end(&sequence, &err);
	metric_stream_free(&stream);
	aggregate_free(&aggregate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool *rows; /* the same for all inputs, and slow to find */
	struct alarm_limits limits = alarm_limits_new();
	struct aggregate_how how = {
		.watch = {.report = take_event, .judged = take_judged}};

	if (rows == NULL)
		rows = step_rows_used(NULL);
	for (size_t i = 0; i < ALARMS; i++)
		limits.hold[i] = 1;
	alarms = how.watch.alarms = alarms_new(&limits);
	how.step.rows = rows;
	require(how.watch.alarms != NULL && rows != NULL);
	board = board_new(2);
	read_all(str_make((const char *)data, size), &how);
	check_board();
	board_free(&board);
	alarms_free(alarms);
	return 0;
}
