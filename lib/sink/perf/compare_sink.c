#include "sink/perf/compare_sink.h"

#include <math.h>

#include "base/array.h"
#include "base/bootstrap.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/json/json_write.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"
#include "sink/tsv.h"

/* JSON ---------------------------------------------------------------- */

static void put_change(struct json_writer *json, const struct change *change)
{
	json_begin(json, '{');
	json_add_str(json, "key", str_of(change->key));
	json_add_double(json, "from", change->from);
	json_add_double(json, "to", change->to);
	json_add_double(json, "change", change->relative);
	json_add_double(json, "low", change->low);
	json_add_double(json, "high", change->high);
	json_add_str(json, "verdict", str_of(verdict_word(change->verdict)));
	json_end(json, '}');
}

static void put_pair(struct json_writer *json, const char *key, double from,
		     double to)
{
	json_add_begin(json, key, '{');
	json_add_double(json, "from", from);
	json_add_double(json, "to", to);
	json_end(json, '}');
}

int compare_put_json(struct out *out, const struct compare_about *about,
		     const struct comparison *c, struct err *err)
{
	struct json_writer json = json_writer_on(out);
	struct compare_work from = compare_work(about->before);
	struct compare_work to = compare_work(about->after);

	(void)err;
	json_begin(&json, '{');
	json_add_str(&json, "from", str_of(about->from));
	json_add_str(&json, "to", str_of(about->to));
	put_pair(&json, "wall", compare_wall(about).from,
		 compare_wall(about).to);
	put_pair(&json, "samples", from.samples, to.samples);
	put_pair(&json, "tokens", from.tokens, to.tokens);
	json_key(&json, "resamples");
	if (c->intervals)
		json_int(&json, BOOTSTRAP_RESAMPLES);
	else
		json_null(&json);
	json_add_begin(&json, "changes", '[');
	for (size_t i = 0; i < c->n; i++)
		put_change(&json, &c->v[i]);
	json_end(&json, ']');
	json_end(&json, '}');
	json_end_line(&json);
	return 0;
}

int compare_put_jsonl(struct out *out, const struct compare_about *about,
		      const struct comparison *c, struct err *err)
{
	struct json_writer json = json_writer_on(out);

	(void)about;
	(void)err;
	for (size_t i = 0; i < c->n; i++) {
		put_change(&json, &c->v[i]);
		json_end_line(&json);
	}
	return 0;
}

/* Tabs ---------------------------------------------------------------- */

int compare_put_tsv(struct out *out, const struct compare_about *about,
		    const struct comparison *c, struct err *err)
{
	(void)about;
	(void)err;
	out_puts(out, "key\tfrom\tto\tchange\tlow\thigh\tverdict\n");
	for (size_t i = 0; i < c->n; i++) {
		out_puts(out, c->v[i].key);
		tsv_put_number(out, c->v[i].from);
		tsv_put_number(out, c->v[i].to);
		tsv_put_number(out, c->v[i].relative);
		tsv_put_number(out, c->v[i].low);
		tsv_put_number(out, c->v[i].high);
		out_putc(out, '\t');
		out_puts(out, verdict_word(c->v[i].verdict));
		out_putc(out, '\n');
	}
	return 0;
}

/* For people ---------------------------------------------------------- */

static void add_number(struct table *table, double d)
{
	if (isnan(d))
		table_add(table, str_make("", 0));
	else
		table_addf(table, "%.6g", d);
}

static void add_change(struct table *table, const struct change *change)
{
	const char *name = change->key;

	if (str_starts(str_of(name), "perf/"))
		name += strlen("perf/");
	digest_add_metric(table, str_of(name));
	add_number(table, change->from);
	add_number(table, change->to);
	if (isnan(change->relative))
		table_add(table, str_make("", 0));
	else
		table_addf(table, "%+.1f%%", 100 * change->relative);
	if (isfinite(change->low) && isfinite(change->high))
		table_addf(table, "%+.1f%% to %+.1f%%", 100 * change->low,
			   100 * change->high);
	else
		table_add(table, str_make("", 0));
	table_add(table, str_of(verdict_word(change->verdict)));
}

/* "2 worse, 1 better, 9 within noise; 12 minima and maxima are not judged" */
static void put_counts(struct buf *text, const struct comparison *c)
{
	static const char *const words[VERDICTS] = {"worse",	 "better",
						    "changed",	 "within noise",
						    "unchanged", "gone",
						    "new"};
	size_t counts[VERDICTS] = {0};
	size_t extremes = 0;
	const char *comma = ": ";

	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].extreme)
			extremes++;
		else
			counts[c->v[i].verdict]++;
	}
	for (int v = 0; v < VERDICTS; v++) {
		if (counts[v] == 0 && v > VERDICT_BETTER)
			continue;
		buf_printf(text, "%s%zu %s", comma, counts[v], words[v]);
		comma = ", ";
	}
	if (extremes)
		buf_printf(text, "; %zu minima and maxima are not judged",
			   extremes);
}

static void put_work_line(struct buf *text, const struct compare_about *about)
{
	size_t n = text->n;

	compare_put_work(text, about);
	if (text->n > n)
		buf_putc(text, '\n');
}

int compare_put_table(struct out *out, const struct compare_about *about,
		      const struct comparison *c, struct err *err)
{
	static const struct table_column columns[] = {
		{"metric", TABLE_LEFT},	       {"from", TABLE_RIGHT},
		{"to", TABLE_RIGHT},	       {"change", TABLE_RIGHT},
		{"95% interval", TABLE_RIGHT}, {"", TABLE_LEFT},
	};
	struct table table = table_new(columns, ARRAY_SIZE(columns));
	struct buf title = buf_new(LIMIT_STRING);
	struct compare_about brief = *about;
	size_t common = common_directories(about->from, about->to);

	brief.from += common;
	brief.to += common;
	compare_put_wall(&title, &brief);
	if (title.n > 0)
		buf_putc(&title, '\n');
	put_work_line(&title, about);
	table_escape_path(&title, str_of(brief.from), TABLE_PATH_BYTES);
	buf_puts(&title, " to ");
	table_escape_path(&title, str_of(brief.to), TABLE_PATH_BYTES);
	put_counts(&title, c);
	if (!c->intervals)
		buf_puts(&title, "; without intervals: saved metrics have no "
				 "single values");
	if (table_put_line(&title, out, err) < 0) {
		table_free(&table);
		return err->code;
	}
	for (size_t i = 0; i < c->n; i++)
		add_change(&table, &c->v[i]);
	return table_put(&table, out, err);
}
