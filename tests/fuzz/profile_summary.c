/*
 * Any bytes as the profiles of two ranks: busy time is what its parts add up
 * to, idle time that of its causes, and every output can be written.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "sink/profile/profile_report.h"

#include "fuzz.h"

struct block {
	struct byte_source source;
	struct str left;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct block *b = (struct block *)source;

	(void)err;
	*block = b->left;
	b->left = str_make("", 0);
	return block->n > 0;
}

static struct profile_summary *summary_of(const char *path, struct str text)
{
	struct block block = {{.next = next_block}, text};
	struct err err = {0};
	struct profile_trace *trace =
		profile_trace_read(path, &block.source, LIMIT_RECORDS, &err);

	return trace == NULL ? NULL : profile_summarise(trace, 5, &err);
}

static void check_device(const struct device_summary *d)
{
	int64_t causes = 0;

	for (int c = 0; c < GAP_CAUSES; c++)
		causes += d->causes[c].time;
	require(d->busy ==
		d->compute + d->exposed_communication + d->exposed_copy);
	require(causes == device_idle(d));
	require(d->busy >= 0 && d->busy <= device_span(d));
}

static void check_json(const struct profile_report *report)
{
	struct buf text = buf_new(256 * MIB);
	struct arena arena = arena_new(256 * MIB);
	struct err err = {0};
	struct value v;
	struct out out;

	require(out_open_buf(&out, &text, &err) == 0);
	require(profile_put_json(&out, report, &err) == 0);
	require(out_close_buf(&out, &text, &err) == 0);
	require(json_parse(buf_str(&text), &arena, &v, &err) == 0);
	arena_free(&arena);
	buf_free(&text);
}

static void check_table(const struct profile_report *report)
{
	struct buf text = buf_new(256 * MIB);
	struct err err = {0};
	struct out out;

	require(out_open_buf(&out, &text, &err) == 0);
	require(profile_put_table(&out, report, &err) == 0);
	require(out_close_buf(&out, &text, &err) == 0);
	buf_free(&text);
}

static void check_compared(const struct profile_report *report)
{
	struct profile_totals totals;
	struct profile_changes changes;
	struct err err = {0};

	require(profile_totals_sum(&totals, report->traces, report->n,
				   &report->groups, &err) == 0);
	require(profile_compare(&changes, &totals, &totals, 5, &err) == 0);
	for (size_t i = 0; i < changes.n; i++)
		require(changes.v[i].from == changes.v[i].to);
	profile_changes_free(&changes);
	profile_totals_free(&totals);
}

/* The same bytes as JSON that was saved. */
static void check_saved(struct str text)
{
	struct profile_totals totals;
	struct profile_changes changes;
	struct err err = {0};

	if (profile_totals_read(&totals, text, &err) == 0) {
		require(profile_compare(&changes, &totals, &totals, 5, &err) ==
			0);
		profile_changes_free(&changes);
	} else {
		require(err.code != ERR_NONE);
	}
	profile_totals_free(&totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct profile_summary *ranks[] = {summary_of("e-TP-0.json", text),
					   summary_of("e-TP-1.json", text)};
	struct profile_report report = {.traces = ranks, .top = 3, .gaps = 3};
	struct err err = {0};

	require((ranks[0] == NULL) == (ranks[1] == NULL));
	report.n = ranks[0] == NULL ? 0 : 2;
	require(profile_groups_find(&report.groups, ranks, report.n, &err) ==
		0);
	for (size_t i = 0; i < report.n; i++)
		for (size_t k = 0; k < ranks[i]->device_n; k++)
			check_device(&ranks[i]->devices[k]);
	check_json(&report);
	check_table(&report);
	check_compared(&report);
	check_saved(text);
	profile_groups_free(&report.groups);
	for (size_t i = 0; i < report.n; i++)
		profile_summary_free(ranks[i]);
	return 0;
}
