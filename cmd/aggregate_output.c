#include "aggregate_output.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/similar.h"
#include "common.h"
#include "sink/metrics/grid.h"
#include "sink/metrics/limit_out.h"

const struct aggregate_format aggregate_formats[] = {
	{.name = "prom", .new_sink = prom_out_new},
	{.name = "json",
	 .new_sink = json_out_new,
	 .new_summary = json_scalars_out_new},
	{.name = "jsonl",
	 .new_sink = jsonl_out_new,
	 .new_summary = json_scalars_out_new},
	{.name = "tsv", .new_sink = tsv_out_new},
	{.name = "table"},
	{.name = "wide", .is_wide = true, .wide = WIDE_TSV},
	{.name = "csv", .is_wide = true, .wide = WIDE_CSV},
	{.name = "md", .is_wide = true, .wide = WIDE_MARKDOWN},
	{0},
};

static struct limit_watch limits;
static size_t limits_cap;
static struct grid_sort sort;

/* Limits ------------------------------------------------------------- */

const char *take_limit(const char *text)
{
	struct metric_limit limit = {.text = text};
	char *name;

	if (!limit_parse(text, &limit.limit) || limit.limit.change)
		return "METRIC > LIMIT or METRIC < LIMIT, with a number as "
		       "the limit";
	name = strndup(limit.limit.name.p, limit.limit.name.n);
	if (name == NULL || !ARRAY_GROW(limits.v, limits.n, limits_cap))
		die_memory();
	limit.name = str_of(name);
	limits.v[limits.n++] = limit;
	return NULL;
}

bool aggregate_has_limits(void)
{
	return limits.n > 0;
}

static void say_broken(const struct metric_limit *limit, struct str title,
		       struct str labels, const struct grid_cell *cell)
{
	exceed("%.*s%s%s: %.*s is %s%.10g", STR_ARG(labels),
	       labels.n > 0 ? ": " : "", limit->text, STR_ARG(title),
	       cell->at_least ? "more than " : "", cell->value);
}

/* The part of a name that users remember. */
static struct str bare(struct str name)
{
	size_t n = name.n;

	while (n > 0 && name.p[n - 1] != ':' && name.p[n - 1] != '/')
		n--;
	return str_skip(name, n);
}

/* Append up to three similar names, or existing ones. */
static void put_names(struct buf *b, const struct intern *seen,
		      struct str wanted, bool similar)
{
	int n = 0;

	for (uint32_t i = 0; n < 3 && i < seen->count; i++) {
		struct str name = intern_text(seen, i);

		if (similar && !similar_may_be(bare(wanted), bare(name)))
			continue;
		buf_puts(b, n++ > 0 ? ", " : "");
		buf_put(b, name.p, name.n);
	}
}

/* No metric has this name: list similar or existing ones. */
static void say_missing(const char *option, const char *value, struct str name,
			const struct intern *seen)
{
	struct buf names = buf_new(LIMIT_LINE);
	bool similar;

	put_names(&names, seen, name, true);
	similar = names.n > 0;
	if (!similar)
		put_names(&names, seen, name, false);
	if (names.n == 0)
		fail("%s=%s: there are no metrics", option, value);
	else
		fail("%s=%s: nothing is named %.*s; %s %.*s%s", option, value,
		     STR_ARG(name), similar ? "did you mean" : "there are",
		     STR_ARG(buf_str(&names)), similar ? "?" : ", ...");
	buf_free(&names);
}

void aggregate_end_output(void)
{
	struct str key = str_of(sort.key == NULL ? "" : sort.key);

	for (size_t i = 0; i < limits.n; i++)
		if (!limits.v[i].found)
			say_missing("--fail-if", limits.v[i].text,
				    limits.v[i].name, &limits.seen);
	if (key.n > 0 && (*key.p == '-' || *key.p == '+'))
		key = str_skip(key, 1);
	if (sort.key != NULL && !sort.found)
		say_missing("--sort", sort.key, key, &sort.seen);
}

/* Formats ------------------------------------------------------------ */

enum { USUAL_WIDTH = 120 };

/* The terminal's, else from the environment, like watch(1). */
static size_t table_width(const struct output *output)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t width;

	if (output->is_stdout && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col > 0)
		return size.ws_col;
	if (columns != NULL && num_parse_int(str_of(columns), &width) &&
	    width >= 0)
		return (size_t)width;
	return USUAL_WIDTH;
}

/* The requested format, or one that suits the reader. */
static const struct aggregate_format *
choose_format(const struct aggregate_settings *s, const struct output *output)
{
	int format = s->format;

	if (format < 0 && s->how.step.summary != NULL)
		format = FORMAT_JSON;
	else if (format < 0)
		format = output->is_stdout && isatty(STDOUT_FILENO)
				 ? FORMAT_TABLE
				 : FORMAT_PROM;
	return &aggregate_formats[format];
}

static void check_sort(const struct aggregate_settings *s,
		       const struct aggregate_format *format)
{
	if (sort.key == NULL)
		return;
	if (format->new_sink != NULL)
		die_usage("--sort needs --format=table, wide, csv or md");
	if (!s->how.reduce)
		die_usage("--sort needs the rows of --by or --without");
}

struct metric_sink *aggregate_open_sink(const struct aggregate_settings *s,
					struct output *output)
{
	struct out *out = &output->file.out;
	const struct aggregate_format *format = choose_format(s, output);
	struct metric_sink *sink;
	struct err err;

	sort.key = s->sort_key;
	sort.seen = intern_new(LIMIT_STRING);
	check_sort(s, format);
	if (s->how.step.summary != NULL && format->new_summary != NULL)
		sink = format->new_summary(out, &err);
	else if (format->new_sink != NULL)
		sink = format->new_sink(out, &err);
	else if (format->is_wide)
		sink = wide_out_new(out, format->wide, &sort, &err);
	else
		sink = table_out_new(out, table_width(output), &sort, &err);
	limits.broken = say_broken;
	if (sink != NULL && limits.n > 0)
		sink = limit_out_new(sink, &limits, &err);
	if (sink == NULL)
		die_err(&err);
	return sink;
}

bool aggregate_said_empty(const struct aggregate *a)
{
	return a->samples == 0 && a->report->counts[REMARK_EMPTY] > 0 && !quiet;
}

void aggregate_report_no_change(const struct aggregate *a)
{
	if (aggregate_said_empty(a))
		status_raise(STATUS_PARTLY);
	else if (a->samples > 0 && a->before == NULL)
		fail("no counters in the input: there is nothing to compare");
	else
		fail("one snapshot only: there is nothing to compare it with");
}
