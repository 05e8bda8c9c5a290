/*
 * Any bytes as a dump, whatever they are: its samples become timelines, as
 * cache, trace events, page and summary, and perf/ metrics.
 */
#include <stdlib.h>

#include "../unit/bytes.h"
#include "base/io.h"
#include "rollout/perf.h"
#include "rollout/rollout.h"
#include "rollout/span.h"
#include "sink/perf/digest_sink.h"
#include "sink/timeline/page.h"
#include "sink/timeline/sink.h"

static struct timeline_sink *(*const sinks[])(
	struct out *out, const struct timeline_about *about,
	struct err *err) = {cache_sink_new, chrome_sink_new, html_sink_new,
			    summary_sink_new};

enum { SINKS = sizeof(sinks) / sizeof(sinks[0]) };

static int drop(void *taker, const char *p, size_t n)
{
	(void)taker;
	(void)p;
	(void)n;
	return 0;
}

/* Row by row what a row must keep, whatever the dump said. */
static void check_row(const struct row *row)
{
	uint32_t states = row->closed_count + row->open_count +
			  row->point_count + row->orphan_count;

	if (row->item_count == 0 || states != row->item_count)
		abort();
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (item->lane >= row->lane_count)
			abort();
		if (i > 0 && row->items[i - 1].lane > item->lane)
			abort();
		if (item->state == ITEM_OPEN && item->display_end < item->start)
			abort();
	}
}

static void write_timelines(struct input *input, size_t which)
{
	struct timeline_choice whole = {0};
	struct page page = {.name = "x.pt"};
	struct timeline_about about = {.path = "x.pt",
				       .name = "x.pt",
				       .page = &page,
				       .choice = &whole};
	struct arena arena = arena_new(SIZE_MAX);
	struct rollout *rollout = NULL;
	struct timeline_sink *sink;
	struct sample sample;
	struct err err = {0};
	struct row row;
	struct out out;

	if (out_open_taker(&out, drop, NULL, &err) < 0)
		return;
	sink = sinks[which](&out, &about, &err);
	if (sink != NULL && rollout_open(input, &rollout, &err) == 0) {
		while (rollout_next(rollout, &sample, &err) == 1) {
			arena_reset(&arena);
			if (span_build(&sample, &arena, &row, &err) != 1)
				continue;
			check_row(&row);
			if (sinks[which] == html_sink_new)
				html_sink_sample(sink, &sample);
			sink->row(sink, &row, &err);
		}
		sink->end(sink, &err);
		rollout_finish(rollout, &err);
		rollout_close(rollout);
	}
	if (sink != NULL)
		sink->free(sink);
	out_close(&out, &err);
	arena_free(&arena);
}

static void write_metrics(struct input *input)
{
	static const double percentiles[] = {0, 50, 99.9};
	struct digest_plan plan = {.perf = {.percentiles = percentiles,
					    .percentile_count = 3,
					    .rollout_time = 1,
					    .rollout_gpus = 1},
				   .breakdown = true,
				   .stragglers = 3,
				   .by = "group"};
	struct digest_sink *sink = NULL;
	struct digest *digest = NULL;
	struct rollout *rollout = NULL;
	struct sample sample;
	struct err err = {0};
	struct out out;

	if (out_open_taker(&out, drop, NULL, &err) < 0)
		return;
	sink = digest_json_new(&out, &err);
	digest = digest_new(&plan, "x.pt", &err);
	if (rollout_open(input, &rollout, &err) == 0) {
		while (rollout_next(rollout, &sample, &err) == 1)
			digest_add(digest, &sample, &err);
		digest_end(digest, rollout_id(rollout), &err);
	}
	sink->put(sink, digest, &err);
	rollout_close(rollout);
	sink->free(sink);
	out_close(&out, &err);
	digest_free(digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input *input = input_of_bytes(str_make((const char *)bytes, n));
	struct err err;

	write_timelines(input, n % SINKS);
	if (input_seek(input, 0, &err) != 0)
		abort();
	write_metrics(input);
	input_close(input);
	return 0;
}
