/*
 * What a page says of the workers of its requests.
 */
#ifndef OBS_SINK_TIMELINE_PAGE_WORKERS_H
#define OBS_SINK_TIMELINE_PAGE_WORKERS_H

#include "fmt/json/json_write.h"
#include "rollout/worker.h"

/* The name of a worker, null for WORKER_UNKNOWN. */
void page_put_worker(struct json_writer *w, const struct workers *workers,
		     uint32_t worker);

/* "workers", for rows_by.js: the requests of a row that another worker served
 * than most of them, which is `usual`; lists of an item's index and of its
 * worker. Most rows have none. Returns 0 or an error. */
int page_put_workers(struct json_writer *w, struct workers *workers,
		     const struct sample *sample, const struct row *row,
		     uint32_t usual, struct err *err);

/* "slow", the workers that are slow next to the others; and "speeds", lists of
 * a worker, how many of its requests say their tokens, and their median
 * seconds a token. They are judged by now. */
void page_put_speeds(struct json_writer *w, const struct workers *workers);

#endif
