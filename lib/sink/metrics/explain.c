#include "sink/metrics/explain.h"

#include <stdio.h>

#include "base/similar.h"
#include "fmt/prom/prom_text.h"
#include "metrics/rules.h"
#include "metrics/step_table.h"

enum { SIMILAR_MAX = 3, TITLE_WIDTH = 10 };

static const char *const rising_words[] = {
	[RISING_NEUTRAL] = "neither better nor worse",
	[RISING_BETTER] = "better",
	[RISING_WORSE] = "worse",
};

static const char *const copies_words[] = {
	[COPIES_NONE] = "none",
	[COPIES_RANKS] = "series that differ only in their rank are copies of "
			 "one fact; the lowest rank counts",
	[COPIES_PODS] = "series that differ only in the pod are one GPU's; one "
			"counts",
	[COPIES_OWN] = "none; each rank has its own",
	[COPIES_MERGED] = "none; all ranks of a server add to one series",
};

static const char *const counts_words[] = {
	[COUNTS_ALL] = "",
	[COUNTS_POSITIVE] = " of those above 0",
	[COUNTS_NONNEGATIVE] = " of those not below 0",
};

static void put_title(struct out *out, const char *title)
{
	out_puts(out, "  ");
	out_puts(out, title);
	for (size_t i = strlen(title); i < TITLE_WIDTH; i++)
		out_putc(out, ' ');
}

static void put_field(struct out *out, const char *title, const char *text)
{
	if (*text == '\0')
		return;
	put_title(out, title);
	out_puts(out, text);
	out_putc(out, '\n');
}

/* "sum", "mean of those above 0", "max, by phase" */
static void put_op(struct out *out, const struct catalogue_row *row)
{
	const char *keep = catalogue_str(row->keep);

	put_title(out, "workers");
	if (row->type == PROM_HISTOGRAM || row->type == PROM_SUMMARY)
		out_puts(out, "sum of buckets, sum and count");
	else if (row->op == OP_NONE)
		out_puts(out, "neither added nor averaged: dropped");
	else if (row->op == OP_SAME)
		out_puts(out, "the value if all agree, else dropped");
	else
		out_puts(out, catalogue_op_word((enum reduce_op)row->op));
	out_puts(out, counts_words[row->counts]);
	if (*keep != '\0') {
		out_puts(out, ", by ");
		out_puts(out, keep);
	}
	out_putc(out, '\n');
}

static void put_total(struct out *out, const struct catalogue_row *row)
{
	const char *label = catalogue_str(row->total);

	if (*label == '\0')
		return;
	put_title(out, "total");
	out_puts(out, label);
	out_puts(out, "=\"\" is the total of the others\n");
}

static void put_now(struct out *out, const struct catalogue_row *row)
{
	const char *label = catalogue_str(row->now_label);

	if (row->now < 0)
		return;
	put_title(out, "now");
	out_puts(out, catalogue_name(catalogue_now(row)));
	if (*label != '\0') {
		out_putc(out, '{');
		out_puts(out, label);
		out_puts(out, "=\"");
		out_puts(out, catalogue_str(row->now_value));
		out_puts(out, "\"}");
	}
	out_putc(out, '\n');
}

/* The keys of step summaries that use it. */
static void put_keys(struct out *out, const struct catalogue_row *row)
{
	int number = (int)catalogue_number(catalogue_now(row));
	const char *last = "";
	size_t n = 0;

	for (const struct step_row *r = step_rows; r->summary != NULL; r++) {
		if ((r->of.row != number && r->by.row != number) ||
		    (r->set != STEP_STEP && r->set != STEP_ALL) ||
		    strcmp(last, r->key) == 0)
			continue;
		last = r->key;
		if (n++ == 0)
			put_title(out, "keys");
		else
			out_puts(out, ", ");
		out_puts(out, r->summary);
		out_putc(out, '/');
		out_puts(out, r->key);
	}
	if (n > 0)
		out_putc(out, '\n');
}

static void put_row(struct out *out, const struct catalogue_row *row)
{
	out_puts(out, catalogue_name(row));
	out_puts(out, "\n  ");
	out_puts(out, catalogue_str(row->meaning));
	out_puts(out, "\n\n");
	put_field(out, "type", prom_type_word((enum prom_type)row->type));
	put_field(out, "unit", catalogue_str(row->unit));
	put_op(out, row);
	put_field(out, "copies", copies_words[row->copies]);
	put_total(out, row);
	put_field(out, "labels", catalogue_str(row->labels));
	put_field(out, "rising is", rising_words[row->rising]);
	put_field(out, "bad", catalogue_str(row->bad));
	put_field(out, "since", catalogue_str(row->since));
	put_field(out, "gone in", catalogue_str(row->gone));
	put_now(out, row);
	put_keys(out, row);
}

/* Is it another engine's metric with the same name? */
static bool is_namesake(const struct catalogue_row *row,
			const struct catalogue_row *found, struct str name)
{
	return row == found || (str_is(name, catalogue_bare(row)) &&
				str_is(name, catalogue_bare(found)));
}

size_t explain_metric(struct out *out, struct str name)
{
	struct str suffix;
	const struct catalogue_row *found =
		catalogue_find_sample(name, &suffix);
	size_t n = 0;

	for (uint32_t i = 0; found != NULL && i < catalogue_size(); i++) {
		const struct catalogue_row *row = catalogue_at(i);

		if (!is_namesake(row, found, name))
			continue;
		if (n > 0)
			out_putc(out, '\n');
		put_row(out, row);
		n++;
	}
	return n;
}

/* Alarms -------------------------------------------------------------- */

bool explain_alarm(struct out *out, struct str name)
{
	enum alarm_kind kind = alarm_find(name);
	const struct alarm_rule *rule;
	char text[128];

	if (kind == ALARMS)
		return false;
	rule = &alarm_rules[kind];
	out_puts(out, rule->name);
	out_puts(out, "\n  ");
	out_puts(out, rule->means);
	out_puts(out, "\n\n");
	put_field(out, "alarm of", rule->fleet ? "the fleet" : "one engine");
	snprintf(text, sizeof(text), "%g %s (--limit %s=N)", rule->limit,
		 rule->unit, rule->name);
	put_field(out, "limit", text);
	snprintf(text, sizeof(text), "%g s (--limit %s.for=N)", rule->hold,
		 rule->name);
	put_field(out, "time", text);
	put_field(out, "needs", rule->needs);
	put_field(out, "try", rule->remedy);
	if (rule->slow_remedy == NULL)
		return true;
	put_field(out, "if slow", rule->slow_means);
	put_field(out, "try then", rule->slow_remedy);
	return true;
}

/* Names that are alike ------------------------------------------------ */

static size_t distance_of(const struct catalogue_row *row, struct str name)
{
	size_t own = similar_distance(name, str_of(catalogue_name(row)));
	size_t bare = similar_distance(name, str_of(catalogue_bare(row)));

	return own < bare ? own : bare;
}

void explain_similar(struct buf *names, struct str name)
{
	struct {
		const struct catalogue_row *row;
		size_t distance;
	} nearest[SIMILAR_MAX + 1]; /* and room for the next */
	size_t n = 0;

	for (uint32_t i = 0; i < catalogue_size(); i++) {
		const struct catalogue_row *row = catalogue_at(i);
		size_t d = distance_of(row, name), at = n;

		if (d > name.n / 4 + 1)
			continue;
		for (; at > 0 && nearest[at - 1].distance > d; at--)
			nearest[at] = nearest[at - 1];
		nearest[at].row = row;
		nearest[at].distance = d;
		n += n < SIMILAR_MAX;
	}
	for (size_t i = 0; i < n; i++) {
		buf_puts(names, i > 0 ? ", " : "");
		buf_puts(names, catalogue_name(nearest[i].row));
	}
}
