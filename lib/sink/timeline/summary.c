/*
 * The contents of a dump, as text for people: counts, and where its time went.
 * PD lanes repeat their span and are not counted.
 */
#include "sink/timeline/sink.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"
#include "fmt/value/value_text.h"
#include "rollout/breakdown.h"
#include "sink/perf/breakdown_text.h"
#include "sink/table.h"

struct summary {
	struct timeline_sink sink;
	struct out *out;
	const struct timeline_about *about;
	struct span_names names;
	struct timed_row timed;
	struct row_store store;
	struct victims victims;
	struct breakdown *breakdown;
	struct arena arena; /* for one row */
	struct buf text;    /* a line */
	struct err failure; /* why a fact is missing */
	uint64_t rows;
	uint64_t counts[4]; /* by enum item_state */
	uint64_t pd_lanes;
};

static int summary_row(struct timeline_sink *sink, const struct row *row,
		       struct err *err)
{
	struct summary *s = (struct summary *)sink;
	const struct stored_row about = {.worker = ROW_NO_WORKER};
	int timed = timed_row_read(&s->timed, row, &s->names, err);

	s->rows++;
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (item->role != ROLE_NONE)
			s->pd_lanes++;
		else
			s->counts[item->state]++;
	}
	arena_reset(&s->arena);
	if (timed <= 0 || row->is_aside)
		return timed < 0 ? timed : 0;
	if (breakdown_add_phases(s->breakdown, row, &s->arena, err) < 0)
		return err->code;
	return row_store_add(&s->store, row, &s->timed, &about, err);
}

static int count_row(void *taker, const struct counted_row *row,
		     struct err *err)
{
	struct summary *s = taker;

	return breakdown_add(s->breakdown, row, err);
}

static void put_fact(struct summary *s, const char *name, struct str value)
{
	enum { NAME_WIDTH = 12 };

	buf_clear(&s->text);
	buf_printf(&s->text, "%-*s", NAME_WIDTH, name);
	table_escape(&s->text, value);
	buf_putc(&s->text, '\n');
	out_put(s->out, s->text.p, s->text.n);
	if (s->text.failed)
		buf_error(&s->text, &s->failure);
}

static void put_count(struct summary *s, const char *name, uint64_t count)
{
	char digits[NUM_INT_MAX];

	put_fact(s, name, str_make(digits, num_put_uint(digits, count)));
}

static void put_rollout(struct summary *s)
{
	struct buf id = buf_new(LIMIT_STRING);

	value_put_str(&id, s->about->rollout_id);
	if (id.failed)
		buf_error(&id, &s->failure);
	put_fact(s, "rollout", buf_str(&id));
	buf_free(&id);
}

static void put_facts(struct summary *s)
{
	put_fact(s, "dump", str_of(s->about->path));
	if (s->about->rollout_id.kind != VALUE_ABSENT)
		put_rollout(s);
	put_count(s, "rows", s->rows);
	put_count(s, "spans", s->counts[ITEM_CLOSED] + s->counts[ITEM_OPEN]);
	put_count(s, "  closed", s->counts[ITEM_CLOSED]);
	put_count(s, "  open", s->counts[ITEM_OPEN]);
	put_count(s, "points", s->counts[ITEM_POINT]);
	put_count(s, "orphans", s->counts[ITEM_ORPHAN]);
	put_count(s, "PD lanes", s->pd_lanes);
}

static int summary_end(struct timeline_sink *sink, struct err *err)
{
	struct summary *s = (struct summary *)sink;
	const struct breakdown_figures *figures;

	if (counted_each(&s->store, &s->names, count_row, s, &s->victims, err) <
	    0)
		return err->code;
	figures = breakdown_end(s->breakdown, err);
	if (figures == NULL)
		return err->code;
	put_facts(s);
	if (s->failure.code != ERR_NONE) {
		*err = s->failure;
		return err->code;
	}
	if (figures->samples == 0)
		return 0;
	out_putc(s->out, '\n');
	buf_clear(&s->text);
	breakdown_put_verdict(&s->text, figures);
	buf_putc(&s->text, '\n');
	out_put(s->out, s->text.p, s->text.n);
	return breakdown_put_text(s->out, figures, err);
}

static void summary_free(struct timeline_sink *sink)
{
	struct summary *s = (struct summary *)sink;

	breakdown_free(s->breakdown);
	span_names_free(&s->names);
	timed_row_free(&s->timed);
	row_store_free(&s->store);
	victims_free(&s->victims);
	arena_free(&s->arena);
	buf_free(&s->text);
	free(s);
}

struct timeline_sink *summary_sink_new(struct out *out,
				       const struct timeline_about *about,
				       struct err *err)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return err_no_memory(err);
	s->sink = (struct timeline_sink){
		.row = summary_row, .end = summary_end, .free = summary_free};
	s->out = out;
	s->about = about;
	s->names = span_names_new();
	s->store = row_store_new();
	s->arena = arena_new(LIMIT_SAMPLE);
	s->text = buf_new(LIMIT_STRING);
	s->breakdown = breakdown_new(&s->names);
	if (s->breakdown != NULL)
		return &s->sink;
	summary_free(&s->sink);
	err_memory(err);
	return NULL;
}
