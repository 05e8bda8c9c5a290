/*
 * What a page's numbers need in bits, by which data.js makes its arrays: the
 * largest of each column, and whether its times fit 32 bits.
 */
#ifndef OBS_SINK_TIMELINE_WIDTHS_H
#define OBS_SINK_TIMELINE_WIDTHS_H

#include <stdint.h>

#include "fmt/json/json_write.h"

enum { WIDTH_COLUMNS = 12 };

struct widths {
	int64_t least, most; /* µs; least > most: no time yet */
	uint64_t largest[WIDTH_COLUMNS];
};

struct widths widths_new(void);

/* The cells of an item and its times in µs, even where it has none. */
void widths_note(struct widths *widths, const uint64_t *cells, int64_t start,
		 int64_t end);

/* Two members, `largest` and `wide`. start: of the time that is drawn, no less
 * than INT64_MAX without any. */
void widths_put(const struct widths *widths, struct json_writer *w,
		int64_t start);

#endif
