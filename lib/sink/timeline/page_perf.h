/*
 * What a page needs to compare the requests of two dumps as obs-perfsum does.
 *
 * The values are among the attributes of the spans, so that a page says no
 * more than which attributes they are. Only those that a trace keeps apart from
 * the attributes stand with their row.
 */
#ifndef OBS_SINK_TIMELINE_PAGE_PERF_H
#define OBS_SINK_TIMELINE_PAGE_PERF_H

#include "base/err.h"
#include "fmt/json/json_write.h"
#include "rollout/sample.h"
#include "rollout/span.h"

/* Write the member "perf": [KEY, attribute, unit, good] of each metric, good
 * being 1 where more of it is better, -1 where less, else 0. */
void page_put_metrics(struct json_writer *w);

/* Write the member "perf" of a row where the sample's values are not those of
 * the attributes that the page has: the numbers of its requests and of those
 * with values, then lists of a metric's place and its values. 0 or an error. */
int page_put_perf(struct json_writer *w, const struct sample *sample,
		  const struct row *row, struct err *err);

#endif
