/*
 * What a dump holds, as text for people: counts, and the time by span name,
 * the longest first. PD lanes repeat their span and are not counted.
 */
#include "sink/sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/value_text.h"
#include "sink/table.h"

/* The spans of one name. */
struct total {
	uint32_t name; /* in names */
	uint64_t count;
	double seconds;
	double longest;
};

struct summary {
	struct timeline_sink sink;
	struct out *out;
	const struct timeline_about *about;
	struct intern names;
	struct total *totals; /* by name */
	size_t total_cap;
	struct buf text; /* a name, or a line */
	uint64_t rows;
	uint64_t counts[4]; /* by enum item_state */
	uint64_t pd_lanes;
	double start, end;
};

static bool is_span(const struct item *item)
{
	return item->state == ITEM_CLOSED || item->state == ITEM_OPEN;
}

/* The total of a name; NULL when memory ran out. */
static struct total *find_total(struct summary *s, struct value name)
{
	uint32_t known = s->names.count;
	uint32_t number = INTERN_FAILED;

	buf_clear(&s->text);
	value_put_str(&s->text, name);
	if (!s->text.failed)
		number = intern_add(&s->names, buf_str(&s->text));
	if (number == INTERN_FAILED)
		return NULL;
	if (number >= s->total_cap) {
		size_t cap = s->total_cap == 0 ? 64 : s->total_cap * 2;
		struct total *grown = realloc(s->totals, cap * sizeof(*grown));

		if (grown == NULL)
			return NULL;
		s->totals = grown;
		s->total_cap = cap;
	}
	if (number == known)
		s->totals[number] = (struct total){.name = number};
	return &s->totals[number];
}

static int count_span(struct summary *s, const struct item *item,
		      struct err *err)
{
	double seconds = item->display_end - item->start;
	struct total *total = find_total(s, item->name);

	if (total == NULL)
		return err_memory(err);
	total->count++;
	if (isfinite(seconds)) {
		total->seconds += seconds;
		total->longest = fmax(total->longest, seconds);
	}
	return 0;
}

static void widen(struct summary *s, const struct item *item)
{
	if (isfinite(item->start) && isfinite(item->display_end)) {
		s->start = fmin(s->start, item->start);
		s->end = fmax(s->end, item->display_end);
	}
}

static int summary_row(struct timeline_sink *sink, const struct row *row,
		       struct err *err)
{
	struct summary *s = (struct summary *)sink;
	int code = 0;

	s->rows++;
	for (uint32_t i = 0; code == 0 && i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (item->role != ROLE_NONE) {
			s->pd_lanes++;
			continue;
		}
		s->counts[item->state]++;
		widen(s, item);
		if (is_span(item))
			code = count_span(s, item, err);
	}
	return code;
}

static int compare_totals(const void *a, const void *b)
{
	const struct total *x = a;
	const struct total *y = b;

	if (x->seconds != y->seconds)
		return x->seconds > y->seconds ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void put_fact(struct summary *s, const char *name, struct str value)
{
	enum { NAME_WIDTH = 12 };

	buf_clear(&s->text);
	buf_printf(&s->text, "%-*s", NAME_WIDTH, name);
	table_escape(&s->text, value);
	buf_putc(&s->text, '\n');
	out_put(s->out, s->text.p, s->text.n);
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
	put_fact(s, "rollout", buf_str(&id));
	buf_free(&id);
}

static void put_facts(struct summary *s)
{
	char wall[384]; /* the largest double has 309 digits */
	int n = snprintf(wall, sizeof(wall), "%.6f s",
			 s->start <= s->end ? s->end - s->start : 0.0);

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
	put_fact(s, "wall time", str_make(wall, (size_t)n));
}

static int put_totals(struct summary *s, struct err *err)
{
	static const struct table_column columns[] = {
		{"span", TABLE_LEFT},	  {"count", TABLE_RIGHT},
		{"total s", TABLE_RIGHT}, {"mean s", TABLE_RIGHT},
		{"max s", TABLE_RIGHT},
	};
	struct table table =
		table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < s->names.count; i++) {
		const struct total *total = &s->totals[i];

		table_add(&table, intern_text(&s->names, total->name));
		table_addf(&table, "%" PRIu64, total->count);
		table_addf(&table, "%.6f", total->seconds);
		table_addf(&table, "%.6f",
			   total->seconds / (double)total->count);
		table_addf(&table, "%.6f", total->longest);
	}
	return table_put(&table, s->out, err);
}

static int summary_end(struct timeline_sink *sink, struct err *err)
{
	struct summary *s = (struct summary *)sink;

	put_facts(s);
	if (s->names.count == 0)
		return 0;
	qsort(s->totals, s->names.count, sizeof(*s->totals), compare_totals);
	out_putc(s->out, '\n');
	return put_totals(s, err);
}

static void summary_free(struct timeline_sink *sink)
{
	struct summary *s = (struct summary *)sink;

	intern_free(&s->names);
	buf_free(&s->text);
	free(s->totals);
	free(s);
}

struct timeline_sink *summary_sink_new(struct out *out,
				       const struct timeline_about *about,
				       struct err *err)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		err_memory(err);
		return NULL;
	}
	s->sink = (struct timeline_sink){
		.row = summary_row, .end = summary_end, .free = summary_free};
	s->out = out;
	s->about = about;
	s->names = intern_new(LIMIT_KEPT);
	s->text = buf_new(LIMIT_STRING);
	s->start = INFINITY;
	s->end = -INFINITY;
	return &s->sink;
}
