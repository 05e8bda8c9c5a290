/*
 * An additional stream of a dump in a page (html.c): engine data shown with its
 * rows, as JSON lines for lib/sink/viewer/engines.js and gpus.js: one object
 * per strip of metrics, and per profile.
 */
#ifndef OBS_SINK_TIMELINE_BESIDE_H
#define OBS_SINK_TIMELINE_BESIDE_H

#include "sink/timeline/page.h"
#include "sink/timeline/sink.h"

/* Write it as the stream "beside" of the page, if there is any data; times are
 * µs since start. 0 or an error. */
int beside_put(const struct timeline_about *about, const struct page *page,
	       struct out *out, int64_t start, struct err *err);

#endif
