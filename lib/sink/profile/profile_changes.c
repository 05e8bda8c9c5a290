#include <math.h>
#include <string.h>

#include "fmt/json/json_write.h"
#include "sink/profile/profile_report.h"
#include "sink/profile/profile_words.h"
#include "sink/table.h"

static void put_change(struct json_writer *j, const struct profile_change *c)
{
	json_begin(j, '{');
	json_add_str(j, "key", c->key);
	json_add_double(j, "from", c->from);
	json_add_double(j, "to", c->to);
	json_add_double(j, "change", c->change);
	json_add_str(j, "verdict", str_of(c->verdict));
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

int profile_put_changes_table(struct out *out,
			      const struct profile_compared *compared,
			      struct err *err)
{
	static const struct table_column columns[] = {
		{"figure", TABLE_LEFT},	 {"from", TABLE_RIGHT},
		{"to", TABLE_RIGHT},	 {"change", TABLE_RIGHT},
		{"verdict", TABLE_LEFT},
	};
	struct table table = table_new(columns, 5);

	for (size_t i = 0; i < compared->changes->n; i++) {
		const struct profile_change *c = &compared->changes->v[i];

		if (strcmp(c->verdict, "same") == 0)
			continue;
		table_add_name(&table, c->key);
		cell(&table, c->key, c->from);
		cell(&table, c->key, c->to);
		if (isnan(c->change))
			table_add(&table, str_of("-"));
		else
			table_addf(&table, "%+.1f%%", 100 * c->change);
		table_add(&table, str_of(c->verdict));
	}
	return table_put(&table, out, err);
}
