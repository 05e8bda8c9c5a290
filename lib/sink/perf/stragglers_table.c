#include <math.h>
#include <stdio.h>

#include "sink/perf/digest_parts.h"
#include "sink/table.h"

static void add_number(struct table *table, const char *format, double d)
	__attribute__((format(printf, 2, 0)));

static void add_number(struct table *table, const char *format, double d)
{
	if (isnan(d))
		table_add(table, str_make("-", 1));
	else
		table_addf(table, format, d);
}

static void add_row(struct table *table, const struct straggler *one)
{
	table_add_name(table, one->sample);
	table_add_name(table, one->group);
	add_number(table, "%.0f", one->last);
	add_number(table, "%.0f", one->longest);
	add_number(table, "%.3f", one->duration);
	add_number(table, "%.2fx", one->ratio);
	add_number(table, "%.0f", one->tokens);
	add_number(table, "%.1f", one->rate);
	table_add_name(table,
		       one->held.p == NULL ? str_make("-", 1) : one->held);
	table_addf(table, "%s %.3f", activity_word(one->waited),
		   one->waited_time);
	table_add(table, str_of(one->cause));
}

static void put_number(struct out *out, double d, const char *unit)
{
	char text[384] = "-"; /* the largest double has 309 digits */

	if (!isnan(d))
		snprintf(text, sizeof(text), "%.1f", d);
	out_puts(out, text);
	out_puts(out, unit);
}

/* "the median sample took 26.1 s for 512.0 tokens, 31.2 a second" */
static void put_medians(struct out *out,
			const struct straggler_medians *medians)
{
	out_puts(out, "the median sample took ");
	put_number(out, medians->duration, " s for ");
	put_number(out, medians->tokens, " tokens, decoded at ");
	put_number(out, medians->rate, " tokens/s\n\n");
}

int stragglers_put_table(struct out *out, const struct digest_part *part,
			 struct err *err)
{
	static const struct table_column columns[] = {
		{"sample", TABLE_RIGHT}, {"group", TABLE_RIGHT},
		{"last", TABLE_RIGHT},	 {"long", TABLE_RIGHT},
		{"took s", TABLE_RIGHT}, {"median", TABLE_RIGHT},
		{"tokens", TABLE_RIGHT}, {"tok/s", TABLE_RIGHT},
		{"span", TABLE_LEFT},	 {"mostly s", TABLE_LEFT},
		{"why", TABLE_LEFT},
	};
	struct table table =
		table_new(columns, sizeof(columns) / sizeof(*columns));

	put_medians(out, &part->medians);
	for (size_t i = 0; i < part->late_count; i++)
		add_row(&table, &part->late[i]);
	return table_put(&table, out, err);
}
