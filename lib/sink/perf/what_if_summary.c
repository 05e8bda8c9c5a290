#include "sink/perf/what_if_summary.h"

#include <stdio.h>
#include <string.h>

#include "sink/table.h"

void what_if_summary_free(struct what_if_summary *summary)
{
	for (size_t i = 0; i < summary->n; i++)
		stats_free(&summary->v[i].parts);
}

/* All dumps have the remedies of one plan, in one order; one that cannot be
 * modelled has none. */
static struct what_if_saving *saving_of(struct what_if_summary *summary,
					const char *id)
{
	for (size_t i = 0; i < summary->n; i++)
		if (strcmp(summary->v[i].id, id) == 0)
			return &summary->v[i];
	snprintf(summary->v[summary->n].id, sizeof(summary->v->id), "%s", id);
	return &summary->v[summary->n++];
}

int what_if_summary_add(struct what_if_summary *summary,
			const struct digest *digest, struct err *err)
{
	const struct what_if *w = digest->what_if;

	summary->dumps++;
	summary->refused += !w->check.ok;
	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];
		struct what_if_saving *saving = saving_of(summary, remedy->id);

		if (remedy->refused[0] != '\0') {
			saving->refused++;
			memcpy(saving->reason, remedy->refused,
			       sizeof(saving->reason));
			continue;
		}
		saving->sure += remedy->sure ||
				(remedy->recorded && remedy->saves > 0);
		if (remedy->range_only)
			saving->ranges++;
		else if (!stats_add(&saving->parts,
				    remedy->saves / w->model.wall))
			return err_memory(err);
	}
	return 0;
}

void what_if_summary_put_json(struct what_if_summary *summary, struct out *out)
{
	struct json_writer json = json_writer_on(out);

	json_begin(&json, '{');
	json_add_uint(&json, "dumps", summary->dumps);
	json_add_uint(&json, "refused", summary->refused);
	json_add_begin(&json, "remedies", '[');
	for (size_t i = 0; i < summary->n; i++) {
		struct what_if_saving *saving = &summary->v[i];
		struct stats *parts = &saving->parts;

		stats_sort(parts);
		json_begin(&json, '{');
		json_add_text(&json, "id", saving->id);
		json_add_uint(&json, "priced", parts->n);
		json_add_uint(&json, "sure", saving->sure);
		json_add_uint(&json, "ranges", saving->ranges);
		json_add_uint(&json, "refused", saving->refused);
		if (parts->n > 0) {
			json_add_double(&json, "saves_median",
					stats_median(parts));
			json_add_double(&json, "saves_min", parts->v[0]);
			json_add_double(&json, "saves_max",
					parts->v[parts->n - 1]);
		}
		json_end(&json, '}');
	}
	json_end(&json, ']');
	json_end(&json, '}');
	json_end_line(&json);
}

static void add_saving(struct table *table, struct what_if_saving *saving)
{
	struct stats *parts = &saving->parts;

	stats_sort(parts);
	table_add(table, str_of(saving->id));
	table_addf(table, "%zu", parts->n);
	table_addf(table, "%zu", saving->sure);
	if (parts->n == 0) {
		table_add(table, str_make("", 0));
		table_add(table, str_make("", 0));
	} else {
		table_addf(table, "%.1f%%", 100 * stats_median(parts));
		table_addf(table, "%.1f - %.1f%%", 100 * parts->v[0],
			   100 * parts->v[parts->n - 1]);
	}
	if (saving->refused > 0)
		table_addf(table, "not priced in %zu: %s", saving->refused,
			   saving->reason);
	else if (saving->ranges > 0)
		table_addf(table, "only a range in %zu", saving->ranges);
	else
		table_add(table, str_make("", 0));
}

int what_if_summary_put_table(struct what_if_summary *summary, struct out *out,
			      struct err *err)
{
	static const struct table_column columns[] = {
		{"remedy", TABLE_LEFT}, {"dumps", TABLE_RIGHT},
		{"sure", TABLE_RIGHT},	{"saves, median", TABLE_RIGHT},
		{"range", TABLE_RIGHT}, {"note", TABLE_LEFT}};
	struct table table = table_new(columns, 6);

	for (size_t i = 0; i < summary->n; i++)
		add_saving(&table, &summary->v[i]);
	return table_put(&table, out, err);
}
