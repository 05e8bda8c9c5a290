#include <math.h>

#include "base/bootstrap.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/json/json_write.h"
#include "sink/profile/profile_report.h"
#include "sink/profile/profile_words.h"
#include "sink/table.h"
#include "sink/tsv.h"

static void put_change(struct json_writer *j, const struct profile_change *c)
{
	json_begin(j, '{');
	json_add_str(j, "key", c->key);
	json_add_double(j, "from", c->from);
	json_add_double(j, "to", c->to);
	json_add_double(j, "change", c->change);
	json_add_double(j, "low", c->low);
	json_add_double(j, "high", c->high);
	json_add_str(j, "verdict", str_of(profile_change_words[c->verdict]));
	json_end(j, '}');
}

int profile_put_changes_json(struct out *out,
			     const struct profile_compared *compared,
			     struct err *err)
{
	struct json_writer j = json_writer_on(out);

	(void)err;
	json_begin(&j, '{');
	json_add_str(&j, "from", str_of(compared->from));
	json_add_str(&j, "to", str_of(compared->to));
	json_key(&j, "resamples");
	if (compared->changes->intervals)
		json_int(&j, BOOTSTRAP_RESAMPLES);
	else
		json_null(&j);
	json_add_begin(&j, "changes", '[');
	for (size_t i = 0; i < compared->changes->n; i++)
		put_change(&j, &compared->changes->v[i]);
	json_end(&j, ']');
	json_end(&j, '}');
	json_end_line(&j);
	return 0;
}

int profile_put_changes_jsonl(struct out *out,
			      const struct profile_compared *compared,
			      struct err *err)
{
	struct json_writer j = json_writer_on(out);

	(void)err;
	for (size_t i = 0; i < compared->changes->n; i++) {
		put_change(&j, &compared->changes->v[i]);
		json_end_line(&j);
	}
	return 0;
}

int profile_put_changes_tsv(struct out *out,
			    const struct profile_compared *compared,
			    struct err *err)
{
	(void)err;
	out_puts(out, "key\tfrom\tto\tchange\tlow\thigh\tverdict\n");
	for (size_t i = 0; i < compared->changes->n; i++) {
		const struct profile_change *c = &compared->changes->v[i];

		tsv_put_text(out, c->key);
		tsv_put_number(out, c->from);
		tsv_put_number(out, c->to);
		tsv_put_number(out, c->change);
		tsv_put_number(out, c->low);
		tsv_put_number(out, c->high);
		out_putc(out, '\t');
		out_puts(out, profile_change_words[c->verdict]);
		out_putc(out, '\n');
	}
	return 0;
}

/* Is it in seconds? The others are shares of the GPUs' time, or numbers. */
static bool is_time(struct str key)
{
	return str_starts(key, "kernel/") ||
	       (str_starts(key, "step/") &&
		(str_ends(key, "/host") || str_ends(key, "/gpu") ||
		 str_ends(key, "/period") ||
		 memmem(key.p, key.n, "/category/", 10) != NULL));
}

static bool is_share(struct str key)
{
	return !str_starts(key, "kernel/") && !str_starts(key, "step/");
}

static void cell(struct table *table, struct str key, double v)
{
	struct buf text = buf_new(64);

	if (isnan(v))
		buf_putc(&text, '-');
	else if (is_time(key))
		profile_put_time(&text, v * 1e9);
	else if (is_share(key))
		buf_printf(&text, "%.1f%%", 100 * v);
	else
		buf_printf(&text, "%.6g", v);
	table_add(table, buf_str(&text));
	buf_free(&text);
}

/* "a to b: 2 worse, 1 better, 9 within noise" */
static int put_title(struct out *out, const struct profile_compared *compared,
		     struct err *err)
{
	static const char *const words[CHANGE_VERDICTS] = {
		"worse",     "better", "changed", "within noise",
		"unchanged", "gone",   "new"};
	size_t counts[CHANGE_VERDICTS] = {0};
	struct buf title = buf_new(LIMIT_STRING);
	size_t common = common_directories(compared->from, compared->to);
	const char *comma = ": ";

	table_escape_path(&title, str_of(compared->from + common),
			  TABLE_PATH_BYTES);
	buf_puts(&title, " to ");
	table_escape_path(&title, str_of(compared->to + common),
			  TABLE_PATH_BYTES);
	for (size_t i = 0; i < compared->changes->n; i++)
		counts[compared->changes->v[i].verdict]++;
	for (int v = 0; v < CHANGE_VERDICTS; v++) {
		if (counts[v] == 0 && v > CHANGE_BETTER)
			continue;
		buf_printf(&title, "%s%zu %s", comma, counts[v], words[v]);
		comma = ", ";
	}
	return table_put_line(&title, out, err);
}

int profile_put_changes_table(struct out *out,
			      const struct profile_compared *compared,
			      struct err *err)
{
	static const struct table_column columns[] = {
		{"figure", TABLE_LEFT},	       {"from", TABLE_RIGHT},
		{"to", TABLE_RIGHT},	       {"change", TABLE_RIGHT},
		{"95% interval", TABLE_RIGHT}, {"", TABLE_LEFT},
	};
	struct table table = table_new(columns, 6);

	if (put_title(out, compared, err) < 0) {
		table_free(&table);
		return err->code;
	}
	for (size_t i = 0; i < compared->changes->n; i++) {
		const struct profile_change *c = &compared->changes->v[i];

		if (c->verdict == CHANGE_SAME)
			continue;
		table_add_name(&table, c->key);
		cell(&table, c->key, c->from);
		cell(&table, c->key, c->to);
		if (isnan(c->change))
			table_add(&table, str_of("-"));
		else
			table_addf(&table, "%+.1f%%", 100 * c->change);
		if (isnan(c->low))
			table_add(&table, str_of(""));
		else
			table_addf(&table, "%+.1f%% to %+.1f%%", 100 * c->low,
				   100 * c->high);
		table_add(&table, str_of(profile_change_words[c->verdict]));
	}
	return table_put(&table, out, err);
}
