#include "sink/board/board_out.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "fmt/json/json_write.h"
#include "sink/board/board_column.h"
#include "sink/metrics/alarm_out.h"
#include "sink/table.h"
#include "sink/tsv.h"

/* An alarm that is on, as it began. */
static struct alarm_event event_of(const struct board_view *v,
				   const struct board_alarm *a)
{
	const struct board_engine *e =
		a->fleet ? NULL : board_find(v->board, a->engine);

	return (struct alarm_event){
		.time = a->begin,
		.begins = true,
		.kind = a->kind,
		.worker = a->fleet    ? str_make(NULL, 0)
			  : e == NULL ? str_make("", 0)
				      : e->name,
		.since = a->since,
		.value = a->value,
		.limit = a->limit,
		.hold = a->hold,
		.text = str_of(a->text),
		.verdict = board_verdict_at(a, v->frame.time),
	};
}

/* Text ---------------------------------------------------------------- */

static void put_number(struct out *out, double value, const char *behind)
{
	char text[BOARD_CELL_MAX];

	out_put(out, text, board_put_count(text, value));
	out_puts(out, behind);
}

static void put_tail(struct out *out, const struct board_frame *f)
{
	char text[BOARD_CELL_MAX];

	if (isnan(f->tail))
		return;
	out_puts(out, "tail: ");
	put_number(out, f->running, f->running == 1 ? " request" : " requests");
	out_puts(out, " left on ");
	put_number(out, f->busy, f->busy == 1 ? " engine" : " engines");
	out_puts(out, " for ");
	out_put(out, text, board_put_time(text, f->time - f->tail));
	out_putc(out, '\n');
}

static void put_fleet(struct out *out, const struct board_view *v)
{
	const struct board_frame *f = &v->frame;
	char text[BOARD_CELL_MAX];

	alarm_put_stamp(out, f->time);
	out_puts(out, "  ");
	put_number(out, f->engines,
		   f->engines == 1 ? " engine, " : " engines, ");
	put_number(out, f->up, " up, ");
	put_number(out, f->tokens, " tok/s, ");
	put_number(out, f->running, " running, ");
	put_number(out, f->queued, " queued, effective engines ");
	out_put(out, text, board_put_tenths(text, f->effective));
	out_puts(out, " of ");
	put_number(out, f->engines, "\n");
	put_tail(out, f);
}

static void add_cell(struct table *table, const struct board_view *v,
		     const struct board_row *row,
		     const struct board_column *column)
{
	static const char *const marks[] = {
		[MARK_NONE] = "", [MARK_WORST] = "*", [MARK_ALARM] = "!"};
	char text[BOARD_CELL_MAX];
	size_t n = board_cell(text, column, row->values);

	table_addf(table, "%s%s", n == 0 ? "-" : text,
		   marks[board_mark_of(v, row, column->value)]);
}

static void put_alarm(struct out *out, const struct board_view *v,
		      const struct board_alarm *a, struct err *err)
{
	const struct alarm_event event = event_of(v, a);
	struct buf name = buf_new(SIZE_MAX), evidence = buf_new(SIZE_MAX);
	char text[BOARD_CELL_MAX];

	alarm_put_evidence(&evidence, &event);
	if (evidence.failed) {
		err_memory(err);
	} else if (alarm_worker_name(&name, event.worker, err) == 0) {
		out_puts(out, "! ");
		out_put(out, name.p, name.n);
		out_puts(out, ": ");
		out_puts(out, alarm_rules[a->kind].name);
		out_puts(out, " for ");
		out_put(out, text,
			board_put_time(text, v->frame.time - a->since));
		out_puts(out, ": ");
		out_put(out, evidence.p, evidence.n);
		out_puts(out, "; try: ");
		out_puts(out, event.verdict.remedy);
		out_putc(out, '\n');
	}
	buf_free(&evidence);
	buf_free(&name);
}

/* If nothing runs at the end, the window that shows when most did; the longest
 * such. */
static void put_busiest(struct out *out, const struct board_view *v)
{
	const struct board *b = v->board;
	uint64_t oldest = board_oldest(b);
	const struct board_frame *busiest = NULL;
	char text[160], running[BOARD_CELL_MAX];

	if (v->frame.running > 0 || v->frame.measured)
		return;
	for (uint64_t i = oldest > 0 ? oldest : 1; i < v->number; i++) {
		const struct board_frame *f = board_frame_at(b, i);

		if (f->running > 0 &&
		    (busiest == NULL || f->running >= busiest->running))
			busiest = f;
	}
	if (busiest == NULL)
		return;
	board_put_count(running, busiest->running);
	snprintf(text, sizeof(text),
		 "nothing is running in it; --window=%.6g shows an earlier "
		 "snapshot, with %s request%s running\n",
		 busiest->time - b->started, running,
		 busiest->running == 1 ? "" : "s");
	out_puts(out, text);
}

/* A legend of the marks, and which snapshot this is. */
static void put_legend(struct out *out, const struct board_view *v)
{
	const struct board *b = v->board;
	double covered = v->frame.time - b->started;
	char text[160], number[BOARD_CELL_MAX];
	size_t n = board_put_count(number, (double)v->number + 1);

	out_puts(out, "! alarm, * worst in column, ~ reported by the engine, "
		      "not counted\nsnapshot ");
	out_put(out, number, n);
	if (v->frame.measured)
		snprintf(text, sizeof(text),
			 ", the first with a full window of %.6g s\n",
			 b->window);
	else if (v->number == 0)
		snprintf(text, sizeof(text), ", the only one\n");
	else
		snprintf(text, sizeof(text),
			 ", the last: rates cover %.6g s, less than the window "
			 "of %.6g s\n",
			 covered, b->window);
	out_puts(out, text);
	put_busiest(out, v);
}

int board_out_table(struct out *out, const struct board_view *v,
		    struct err *err)
{
	struct table_column columns[BOARD_COLUMNS + 2] = {
		{"WORKER", TABLE_LEFT}, {"ROLE", TABLE_LEFT}};
	struct table table;
	int code;

	for (size_t i = 0; i < BOARD_COLUMNS; i++)
		columns[i + 2] = (struct table_column){board_columns[i].title,
						       TABLE_RIGHT};
	put_fleet(out, v);
	table = table_new(columns, BOARD_COLUMNS + 2);
	for (uint32_t i = 0; i < v->n; i++) {
		const struct board_row *row = &v->rows[i];

		table_add_name(&table, row->name);
		table_add(&table, row->role.n > 0 ? row->role : str_of("-"));
		for (size_t k = 0; k < BOARD_COLUMNS; k++)
			add_cell(&table, v, row, &board_columns[k]);
	}
	code = table_put(&table, out, err);
	if (code == 0)
		put_legend(out, v);
	err->code = ERR_NONE;
	for (uint32_t i = 0; code == 0 && i < v->n_alarms; i++) {
		put_alarm(out, v, v->alarms[i], err);
		code = err->code;
	}
	return code;
}

/* TSV ----------------------------------------------------------------- */

/* The value in JSON and TSV: values are stored as floats, so more digits would
 * be noise. "": unknown. */
static size_t plain_number(char out[BOARD_CELL_MAX], double value)
{
	out[0] = '\0';
	if (!isfinite(value))
		return 0;
	return (size_t)snprintf(out, BOARD_CELL_MAX, "%.7g", value);
}

static void put_alarm_names(struct out *out, const struct board_row *row)
{
	const char *between = "";

	for (size_t i = 0; i < ALARMS; i++)
		if ((row->alarms & 1u << i) != 0) {
			out_puts(out, between);
			out_puts(out, alarm_rules[i].name);
			between = ",";
		}
}

int board_out_tsv(struct out *out, const struct board_view *v, struct err *err)
{
	char text[BOARD_CELL_MAX];

	(void)err;
	out_puts(out, "worker\trole\tup\tcap");
	for (size_t k = 0; k < BOARD_COLUMNS; k++) {
		out_putc(out, '\t');
		out_puts(out, board_columns[k].key);
	}
	out_puts(out, "\talarms\n");
	for (uint32_t i = 0; i < v->n; i++) {
		const struct board_row *row = &v->rows[i];

		tsv_put_text(out, row->whole);
		out_putc(out, '\t');
		tsv_put_text(out, row->role);
		out_puts(out, row->up > 0 ? "\t1\t" : "\t0\t");
		out_put(out, text, plain_number(text, row->values[BOARD_CAP]));
		for (size_t k = 0; k < BOARD_COLUMNS; k++) {
			double value = row->values[board_columns[k].value];

			out_putc(out, '\t');
			out_put(out, text, plain_number(text, value));
		}
		out_putc(out, '\t');
		put_alarm_names(out, row);
		out_putc(out, '\n');
	}
	return 0;
}

/* JSON ---------------------------------------------------------------- */

/* All digits: Unix times have more than shorter forms keep. */
static void add_time(struct json_writer *w, const char *key, double seconds)
{
	char text[NUM_DOUBLE_MAX];

	json_add_verbatim(w, key, str_make(text, num_put_repr(text, seconds)));
}

static void add_value(struct json_writer *w, const char *key, double value)
{
	char text[BOARD_CELL_MAX];
	size_t n = plain_number(text, value);

	json_add_verbatim(w, key, n == 0 ? str_of("null") : str_make(text, n));
}

static void put_fleet_json(struct json_writer *w, const struct board_frame *f)
{
	json_add_begin(w, "fleet", '{');
	json_add_uint(w, "engines", f->engines);
	json_add_uint(w, "up", f->up);
	add_value(w, "running", f->running);
	add_value(w, "queued", f->queued);
	add_value(w, "tokens_per_second", f->tokens);
	add_value(w, "effective_engines", f->effective);
	if (isnan(f->tail)) {
		json_add_verbatim(w, "tail", str_of("null"));
	} else {
		json_add_begin(w, "tail", '{');
		add_value(w, "requests", f->running);
		json_add_uint(w, "engines", f->busy);
		add_time(w, "since", f->tail);
		json_end(w, '}');
	}
	json_end(w, '}');
}

static void put_tokens_from(struct json_writer *w, double from)
{
	static const char *const names[] = {[TOKENS_COUNTED] = "counter",
					    [TOKENS_ENDED] = "ended",
					    [TOKENS_REPORTED] = "gauge"};

	if (isnan(from))
		json_add_verbatim(w, "tokens_from", str_of("null"));
	else
		json_add_str(w, "tokens_from", str_of(names[(int)from]));
}

static void put_engine_json(struct json_writer *w, const struct board_row *row)
{
	json_begin(w, '{');
	json_add_str(w, "worker", row->whole);
	if (row->role.n > 0)
		json_add_str(w, "role", row->role);
	else
		json_add_verbatim(w, "role", str_of("null"));
	json_add_bool(w, "up", row->up > 0);
	add_value(w, "age", row->values[BOARD_AGE]);
	add_value(w, "cap", row->values[BOARD_CAP]);
	for (size_t k = 0; k < BOARD_COLUMNS; k++)
		if (board_columns[k].value != BOARD_AGE)
			add_value(w, board_columns[k].key,
				  row->values[board_columns[k].value]);
	put_tokens_from(w, row->values[BOARD_TOKENS_FROM]);
	json_add_begin(w, "alarms", '[');
	for (size_t i = 0; i < ALARMS; i++)
		if ((row->alarms & 1u << i) != 0)
			json_str(w, str_of(alarm_rules[i].name));
	json_end(w, ']');
	json_end(w, '}');
}

int board_out_json(struct out *out, const struct board_view *v, struct err *err)
{
	struct json_writer w = json_writer_on(out);
	int code = 0;

	json_begin(&w, '{');
	add_time(&w, "time", v->frame.time);
	add_value(&w, "window", v->board->window);
	json_add_uint(&w, "snapshot", v->number + 1);
	put_fleet_json(&w, &v->frame);
	json_add_begin(&w, "engines", '[');
	for (uint32_t i = 0; i < v->n; i++)
		put_engine_json(&w, &v->rows[i]);
	json_end(&w, ']');
	json_add_begin(&w, "alarms", '[');
	for (uint32_t i = 0; code == 0 && i < v->n_alarms; i++) {
		const struct alarm_event event = event_of(v, v->alarms[i]);

		code = alarm_put_json(&w, &event, err);
	}
	json_end(&w, ']');
	json_end(&w, '}');
	json_end_line(&w);
	return code;
}

/* Changes ------------------------------------------------------------- */

static void put_change_json(struct out *out, const struct board_change *c,
			    struct str name)
{
	struct json_writer w = json_writer_on(out);

	json_begin(&w, '{');
	add_time(&w, "time", c->time);
	json_add_str(&w, "event", str_of(c->comes ? "come" : "go"));
	json_add_verbatim(&w, "alarm", str_of("null"));
	json_add_str(&w, "worker", name);
	if (isnan(c->since))
		json_add_verbatim(&w, "since", str_of("null"));
	else
		add_time(&w, "since", c->since);
	json_end(&w, '}');
	json_end_line(&w);
}

static void put_change_text(struct out *out, const struct board_change *c,
			    struct str name)
{
	alarm_put_stamp(out, c->time);
	out_puts(out, c->comes ? "  worker joined  " : "  worker left  ");
	out_put(out, name.p, name.n);
	if (!isnan(c->since)) {
		out_puts(out, "  last seen ");
		alarm_put_stamp(out, c->since);
	}
	out_putc(out, '\n');
}

int board_out_change(struct out *out, const struct board_change *change,
		     bool json, struct err *err)
{
	struct buf name = buf_new(SIZE_MAX);
	struct arena plain = arena_new(SIZE_MAX / 2);
	struct str whole = board_plain(&plain, change->engine->name);
	int code = alarm_worker_name(&name, change->engine->name, err);

	if (code == 0 && whole.p == NULL)
		code = err_memory(err);
	if (code == 0 && json)
		put_change_json(out, change, whole);
	else if (code == 0)
		put_change_text(out, change, buf_str(&name));
	buf_free(&name);
	arena_free(&plain);
	return code;
}
