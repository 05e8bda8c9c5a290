#include "sink/perf/what_if_summary.h"

#include <stdio.h>
#include <string.h>

#include "sink/table.h"

void what_if_summary_free(struct what_if_summary *summary)
{
	for (size_t i = 0; i < summary->n; i++)
		stats_free(&summary->v[i].parts);
}

/* All dumps have the remedies of one plan, in the same order; one that cannot
 * be modelled has none. */
static struct what_if_saving *saving_of(struct what_if_summary *summary,
					const char *id)
{
	for (size_t i = 0; i < summary->n; i++)
		if (strcmp(summary->v[i].id, id) == 0)
			return &summary->v[i];
	snprintf(summary->v[summary->n].id, sizeof(summary->v->id), "%s", id);
	return &summary->v[summary->n++];
}

static void add_reason(struct what_if_saving *saving, const char *text)
{
	saving->refused++;
	for (size_t i = 0; i < WHAT_IF_REASONS; i++) {
		struct what_if_reason *reason = &saving->reasons[i];

		if (reason->count > 0 && strcmp(reason->text, text) != 0)
			continue;
		if (reason->count++ == 0)
			snprintf(reason->text, sizeof(reason->text), "%s",
				 text);
		return;
	}
}

int what_if_summary_add(struct what_if_summary *summary,
			const struct digest *digest, struct err *err)
{
	const struct what_if *w = digest->what_if;

	summary->dumps++;
	summary->refused += !w->check.ok;
	if (w->refused[0] != '\0')
		add_reason(&summary->nothing, w->refused);
	for (size_t i = 0; i < w->remedy_count; i++) {
		const struct what_if_remedy *remedy = &w->remedies[i];
		struct what_if_saving *saving = saving_of(summary, remedy->id);

		if (remedy->refused[0] != '\0') {
			add_reason(saving, remedy->refused);
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

static void put_reasons_json(struct json_writer *json,
			     const struct what_if_saving *saving)
{
	json_add_begin(json, "reasons", '{');
	for (size_t i = 0; i < WHAT_IF_REASONS; i++)
		if (saving->reasons[i].count > 0)
			json_add_uint(json, saving->reasons[i].text,
				      saving->reasons[i].count);
	json_end(json, '}');
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
		put_reasons_json(&json, saving);
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

/* Text -------------------------------------------------------------------- */

enum { LINE = 100 };

static const char *dumps(size_t n)
{
	return n == 1 ? "dump" : "dumps";
}

/* Of how many dumps the figures are. */
static void add_count(struct table *table, const struct what_if_saving *saving,
		      size_t all)
{
	size_t priced = saving->parts.n + saving->ranges;

	if (priced == 0) {
		table_addf(table, "none of %zu", all);
		table_add(table, str_make("", 0));
		return;
	}
	table_addf(table, "%zu of %zu", priced, all);
	table_addf(table, "%zu", saving->sure);
}

static void add_saving(struct table *table, struct what_if_saving *saving,
		       size_t all)
{
	struct stats *parts = &saving->parts;

	stats_sort(parts);
	table_add(table, str_of(saving->id));
	add_count(table, saving, all);
	if (parts->n == 0) {
		table_add(table, str_make("", 0));
		table_add(table, str_make("", 0));
	} else {
		table_addf(table, "%.1f%%", 100 * stats_median(parts));
		table_addf(table, "%.1f - %.1f%%", 100 * parts->v[0],
			   100 * parts->v[parts->n - 1]);
	}
	if (saving->ranges > 0)
		table_addf(table, "only a range in %zu", saving->ranges);
	else
		table_add(table, str_make("", 0));
}

/* "no estimate for tool_median: no tool spans (5 dumps); ... (1 dump)" */
static int put_reasons(const struct what_if_saving *saving, const char *what,
		       struct out *out, struct err *err)
{
	struct buf line = buf_new(SIZE_MAX);
	size_t others = saving->refused;

	if (saving->refused == 0)
		return 0;
	buf_printf(&line, "%s: ", what);
	for (size_t i = 0; i < WHAT_IF_REASONS; i++) {
		const struct what_if_reason *reason = &saving->reasons[i];

		if (reason->count == 0)
			break;
		others -= reason->count;
		buf_printf(&line, "%s%s (%zu %s)", i == 0 ? "" : "; ",
			   reason->text, reason->count, dumps(reason->count));
	}
	if (others > 0)
		buf_printf(&line, "; other reasons (%zu %s)", others,
			   dumps(others));
	return table_put_wrapped(&line, LINE, out, err);
}

static bool same_reasons(const struct what_if_saving *a,
			 const struct what_if_saving *b)
{
	for (size_t i = 0; i < WHAT_IF_REASONS; i++)
		if (a->reasons[i].count != b->reasons[i].count ||
		    strcmp(a->reasons[i].text, b->reasons[i].text) != 0)
			return false;
	return a->refused == b->refused;
}

/* Remedies that are refused for the same reasons are named together. */
static int put_all_reasons(const struct what_if_summary *summary,
			   struct out *out, struct err *err)
{
	bool shown[REMEDY_KINDS + WHAT_IF_OWN_MAX] = {false};
	int code = put_reasons(&summary->nothing,
			       "no remedy could be estimated", out, err);

	for (size_t i = 0; code == 0 && i < summary->n; i++) {
		const struct what_if_saving *saving = &summary->v[i];
		struct buf what = buf_new(SIZE_MAX);

		if (shown[i] || saving->refused == 0)
			continue;
		buf_puts(&what, "no estimate for ");
		for (size_t k = i; k < summary->n; k++) {
			if (!same_reasons(saving, &summary->v[k]))
				continue;
			shown[k] = true;
			buf_printf(&what, "%s%s", k == i ? "" : ", ",
				   summary->v[k].id);
		}
		buf_putc(&what, '\0');
		code = what.failed ? buf_error(&what, err)
				   : put_reasons(saving, what.p, out, err);
		buf_free(&what);
	}
	return code;
}

int what_if_summary_put_table(struct what_if_summary *summary, struct out *out,
			      struct err *err)
{
	static const struct table_column columns[] = {
		{"remedy", TABLE_LEFT},	       {"estimated in", TABLE_RIGHT},
		{"sure in", TABLE_RIGHT},      {"saves, median", TABLE_RIGHT},
		{"saves, range", TABLE_RIGHT}, {"note", TABLE_LEFT}};
	struct table table = table_new(columns, 6);

	for (size_t i = 0; i < summary->n; i++)
		add_saving(&table, &summary->v[i], summary->dumps);
	if (table_put(&table, out, err) < 0)
		return err->code;
	return put_all_reasons(summary, out, err);
}
