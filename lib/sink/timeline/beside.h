/*
 * A further stream of a dump in a page (html.c): what is shown beside its
 * rows, as JSON lines that lib/sink/viewer/engines.js and gpus.js read: of
 * each strip of metrics, and of each profile, an object.
 */
#ifndef OBS_SINK_TIMELINE_BESIDE_H
#define OBS_SINK_TIMELINE_BESIDE_H

#include "sink/timeline/page.h"
#include "sink/timeline/sink.h"

/* Put it as the stream "beside" of the page, if there is anything; times are
 * µs since start. 0 or an error. */
int beside_put(const struct timeline_about *about, const struct page *page,
	       struct out *out, int64_t start, struct err *err);

#endif
