/*
 * What the page would otherwise look for in all of its items before it draws
 * any: the names of spans in order of first appearance, which of them are of
 * generations, and whether any row was attempted several times.
 */
#ifndef OBS_SINK_TIMELINE_SEEN_NAMES_H
#define OBS_SINK_TIMELINE_SEEN_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "fmt/json/json_write.h"
#include "rollout/span.h"

struct seen_names {
	uint8_t *seen; /* by string: 1 a span's name, 2 a generation's, too */
	size_t seen_cap;
	uint32_t *v; /* strings */
	size_t n, cap;
	uint32_t attempt; /* of the row's first item */
	bool retried;
};

/* Item i of a row: the strings of its name and attempt. Negative if out of
 * memory. */
int seen_names_note(struct seen_names *names, const struct item *item,
		    uint32_t i, uint32_t name, uint32_t attempt,
		    struct err *err);

/* Members `spans`, `requests` and `retried`. */
void seen_names_put(const struct seen_names *names, struct json_writer *w);

void seen_names_free(struct seen_names *names);

#endif
