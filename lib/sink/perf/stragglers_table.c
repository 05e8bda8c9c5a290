#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "sink/perf/breakdown_text.h"
#include "sink/perf/digest_parts.h"
#include "sink/table.h"

/* At most this many of the samples that waited are named. */
enum { NAMED_MAX = 8 };

static void add_number(struct table *table, const char *format, double d)
	__attribute__((format(printf, 2, 0)));

static void add_number(struct table *table, const char *format, double d)
{
	if (isnan(d))
		table_add(table, str_make("-", 1));
	else
		table_addf(table, format, d);
}

static void add_sample(struct table *table, const struct straggler *one)
{
	struct buf name = buf_new(LIMIT_STRING);

	if (one->dump.p != NULL) {
		table_escape(&name, str_of(file_name(one->dump.p)));
		buf_putc(&name, ' ');
	}
	sample_put_name(&name, one->sample, one->repeats, one->row);
	table_add(table, buf_str(&name));
	table->text.failed |= name.failed;
	buf_free(&name);
}

/* "decode 40", "queue 0.57": two digits are enough to compare causes. */
static void add_timed(struct table *table, const char *word, double seconds,
		      const char *more)
{
	struct buf text = buf_new(LIMIT_STRING);

	buf_puts(&text, word);
	if (!isnan(seconds))
		buf_printf(&text, seconds < 99 ? " %.2g" : " %.0f", seconds);
	buf_puts(&text, more);
	table_add(table, buf_str(&text));
	table->text.failed |= text.failed;
	buf_free(&text);
}

/* "slow engine 1.5"; an activity's time is in its own column. */
static void add_cause(struct table *table, const struct straggler *one)
{
	bool shown = one->cause_time == one->most_time;

	add_timed(table, one->cause, shown ? (double)NAN : one->cause_time,
		  one->open ? ", still open" : "");
}

static void add_name(struct table *table, struct str name)
{
	table_add_name(table, name.p == NULL ? str_make("-", 1) : name);
}

static void add_row(struct table *table, const struct straggler *one)
{
	add_sample(table, one);
	table_add_name(table, one->group);
	add_number(table, "%.0f", one->last);
	add_number(table, "%.0f", one->longest);
	add_number(table, "%.3f", one->duration);
	add_number(table, "%.0f", one->tokens);
	add_number(table, "%.1f", one->rate);
	add_name(table, one->worker);
	add_name(table, one->held);
	if (one->most_time > 0)
		add_timed(table, activity_word(one->most), one->most_time, "");
	else
		table_add(table, str_make("-", 1));
	add_cause(table, one);
}

/* "#107: 7 members of its group waited for it, 21.300 s in all: #104, ..." */
static int put_victims(struct out *out, const struct digest *digest,
		       const struct straggler *one, struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);

	straggler_put_name(&line, one);
	buf_printf(&line,
		   ": %zu member%s of its group waited for it, %.3f s in all:",
		   one->victim_count, one->victim_count == 1 ? "" : "s",
		   one->group_wait);
	for (size_t i = 0; i < one->victim_count && i < NAMED_MAX; i++) {
		buf_puts(&line, i == 0 ? " #" : ", #");
		table_escape_name(&line, victim_sample(digest, one, i));
	}
	if (one->victim_count > NAMED_MAX)
		buf_puts(&line, ", ...");
	return table_put_line(&line, out, err);
}

static int put_all_victims(struct out *out, const struct digest *digest,
			   const struct digest_part *part, struct err *err)
{
	bool any = false;
	int code = 0;

	for (size_t i = 0; code == 0 && i < part->late_count; i++) {
		if (part->late[i].victim_count == 0)
			continue;
		if (!any)
			out_putc(out, '\n');
		any = true;
		code = put_victims(out, digest, &part->late[i], err);
	}
	return code;
}

static void put_number(struct out *out, double d, const char *unit)
{
	char text[384] = "-"; /* the largest double has 309 digits */

	if (!isnan(d))
		snprintf(text, sizeof(text), "%.1f", d);
	out_puts(out, text);
	out_puts(out, unit);
}

static bool is_first_of(const struct digest_part *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (part->late[i].speed == part->late[n].speed)
			return false;
	return true;
}

static bool any_caused(const struct digest_part *part, const char *cause)
{
	for (size_t i = 0; i < part->late_count; i++)
		if (strcmp(part->late[i].cause, cause) == 0)
			return true;
	return false;
}

/* "5.63 ms per token with prefill, others 1.64 ms", or "a decode step takes 5.49
 * ms, 4.29 times that of the others". */
static void put_speed(struct buf *line, const struct workers *workers,
		      const struct worker_speed *speed)
{
	double own = speed->token_time, usual = workers->usual;

	if (workers->by_steps)
		buf_printf(line,
			   "a decode step takes %.3g ms, %.3g times that of "
			   "the others",
			   own * 1000, own / usual);
	else
		buf_printf(line,
			   "%.3g ms per token with prefill, others %.3g ms",
			   own * 1000, usual * 1000);
}

/* "slow engine 10.0.0.4:30000: 5.63 ms per token with prefill, others 1.64 ms; 4
 * of the 5 samples below ran on it" */
static int put_slow_engine(struct out *out, const struct digest *digest,
			   const struct digest_part *part, size_t first,
			   struct err *err)
{
	const struct worker_speed *speed = part->late[first].speed;
	struct buf line = buf_new(LIMIT_STRING);
	size_t ran = 0;

	for (size_t i = first; i < part->late_count; i++)
		ran += part->late[i].speed == speed;
	buf_puts(&line, "slow engine ");
	table_escape_name(&line, part->late[first].worker);
	buf_puts(&line, ": ");
	put_speed(&line, &digest->workers, speed);
	if (part->late_count == 1)
		buf_puts(&line, "; the sample below ran on it");
	else
		buf_printf(&line, "; %zu of the %zu samples below ran on it",
			   ran, part->late_count);
	return table_put_line(&line, out, err);
}

static int put_slow_engines(struct out *out, const struct digest *digest,
			    const struct digest_part *part, struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < part->late_count; i++) {
		const struct worker_speed *speed = part->late[i].speed;

		if (speed != NULL && speed->slow && is_first_of(part, i))
			code = put_slow_engine(out, digest, part, i, err);
	}
	if (any_caused(part, "slow engine") && digest->workers.by_steps)
		out_puts(out,
			 "causes compare decode and queue with those "
			 "steps; 'spent' above compares at batch 8, stalls "
			 "and others' prefills apart\n");
	return code;
}

/* With a breakdown before it, the title is about that. */
static int put_verdict(struct out *out, const struct digest_part *part,
		       struct err *err)
{
	struct buf line = buf_new(LIMIT_STRING);

	if (part->times == NULL || part->late_count == 0)
		return 0;
	stragglers_put_verdict(&line, part);
	return table_put_line(&line, out, err);
}

/* "the median sample ran 26.1 s and decoded 512.0 tokens at 31.2 tokens/s":
 * what is known of it. */
static void put_medians(struct out *out,
			const struct straggler_medians *medians)
{
	out_puts(out, "the median sample ran ");
	put_number(out, medians->duration, " s");
	if (!isnan(medians->tokens)) {
		out_puts(out, " and decoded ");
		put_number(out, medians->tokens, " tokens");
	}
	if (!isnan(medians->rate)) {
		out_puts(out,
			 isnan(medians->tokens) ? ", decoding at " : " at ");
		put_number(out, medians->rate, " tokens/s");
	}
	if (isnan(medians->tokens))
		out_puts(out, "; no sample records tokens");
	out_puts(out, "\n");
}

static int put_rows(struct out *out, const struct digest_part *part,
		    struct err *err)
{
	static const struct table_column columns[] = {
		{"sample", TABLE_RIGHT},      {"group", TABLE_RIGHT},
		{"end", TABLE_RIGHT},	      {"run", TABLE_RIGHT},
		{"ran (s)", TABLE_RIGHT},     {"tokens", TABLE_RIGHT},
		{"tok/s", TABLE_RIGHT},	      {"worker", TABLE_LEFT},
		{"longest span", TABLE_LEFT}, {"activity (s)", TABLE_LEFT},
		{"cause (s)", TABLE_LEFT},
	};
	struct table table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < part->late_count; i++)
		add_row(&table, &part->late[i]);
	return table_put(&table, out, err);
}

int stragglers_put_table(struct out *out, const struct digest *digest,
			 const struct digest_part *part, struct err *err)
{
	if (part->late_count == 0)
		return 0;
	if (put_verdict(out, part, err) < 0)
		return err->code;
	put_medians(out, &part->medians);
	if (put_slow_engines(out, digest, part, err) < 0)
		return err->code;
	/* A trace alone does not say why an engine left a request in its
	 * queue. */
	if (digest->what_if == NULL && any_caused(part, "engine queue"))
		out_puts(out, "engine queue: too few slots, or an engine that "
			      "stalled; see --what-if\n");
	out_puts(out, "end, run: rank by end time and by run time\n\n");
	if (put_rows(out, part, err) < 0)
		return err->code;
	return put_all_victims(out, digest, part, err);
}
