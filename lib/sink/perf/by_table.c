/*
 * The groups of --by, one row each, to be read before their reports.
 */
#include <math.h>

#include "base/limits.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"

/* What a row has of the group's metrics. */
static const struct {
	const char *key, *title, *format;
} shown[] = {
	{"perf/request/count", "requests", "%.0f"},
	{"perf/request/e2e_latency/mean", "e2e mean (s)", "%.3f"},
	{"perf/request/e2e_latency/max", "max (s)", "%.3f"},
	{"perf/request/queue_time/mean", "queue mean (s)", "%.3f"},
	{"perf/decode/throughput/mean", "decode mean (tokens/s)", "%.1f"},
};

enum { SHOWN = sizeof(shown) / sizeof(*shown), FIXED = 2 };

static const struct figure *find(const struct digest_part *part, size_t i)
{
	return figures_find(&part->figures, str_of(shown[i].key));
}

static bool any_has(const struct digest *digest, size_t i)
{
	for (size_t k = 0; k < digest->count; k++)
		if (find(&digest->parts[k], i) != NULL)
			return true;
	return false;
}

static void add_row(struct table *table, const struct digest_part *part,
		    const bool has[SHOWN])
{
	table_add_name(table,
		       part->group_name.n > 0 ? part->group_name : part->group);
	table_addf(table, "%llu", (unsigned long long)part->samples);
	for (size_t i = 0; i < SHOWN; i++) {
		const struct figure *figure = find(part, i);

		if (!has[i])
			continue;
		if (figure == NULL)
			table_add(table, str_make("-", 1));
		else
			table_addf(table, shown[i].format, figure->value);
	}
}

static int put_title(struct out *out, const struct digest *digest,
		     struct err *err)
{
	struct buf text = buf_new(LIMIT_STRING);

	table_escape(&text, str_of(digest->dump));
	buf_printf(&text, ": %zu groups by ", digest->count);
	table_escape_name(&text, str_of(digest->plan->by));
	return table_put_line(&text, out, err);
}

int digest_put_groups(struct out *out, const struct digest *digest,
		      struct err *err)
{
	struct table_column columns[FIXED + SHOWN] = {
		{digest->plan->by, TABLE_LEFT}, {"samples", TABLE_RIGHT}};
	bool has[SHOWN];
	size_t n = FIXED;
	struct table table;

	for (size_t i = 0; i < SHOWN; i++) {
		has[i] = any_has(digest, i);
		if (has[i])
			columns[n++] = (struct table_column){shown[i].title,
							     TABLE_RIGHT};
	}
	if (put_title(out, digest, err) < 0)
		return err->code;
	table = table_new(columns, n);
	for (size_t k = 0; k < digest->count; k++)
		add_row(&table, &digest->parts[k], has);
	return table_put(&table, out, err);
}
