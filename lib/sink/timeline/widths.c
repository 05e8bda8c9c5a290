#include "sink/timeline/widths.h"

struct widths widths_new(void)
{
	return (struct widths){.least = INT64_MAX, .most = INT64_MIN};
}

static void note_time(struct widths *widths, int64_t time)
{
	widths->least = time < widths->least ? time : widths->least;
	widths->most = time > widths->most ? time : widths->most;
}

void widths_note(struct widths *widths, const uint64_t *cells, int64_t start,
		 int64_t end)
{
	note_time(widths, start);
	note_time(widths, end);
	for (size_t c = 0; c < WIDTH_COLUMNS; c++)
		if (cells[c] > widths->largest[c])
			widths->largest[c] = cells[c];
}

/* Whether times need more than 32 bits. The page moves the times of a dump that
 * lasts longer than this, see viewer/far.js. */
static bool is_wide(const struct widths *widths, int64_t start)
{
	static const double narrow_most = 3600e6;

	return widths->least <= widths->most &&
	       (widths->least < start ||
		(double)widths->most - (double)start > narrow_most);
}

void widths_put(const struct widths *widths, struct json_writer *w,
		int64_t start)
{
	json_add_begin(w, "largest", '[');
	for (size_t c = 0; c < WIDTH_COLUMNS; c++)
		json_uint(w, widths->largest[c]);
	json_end(w, ']');
	json_add_bool(w, "wide", is_wide(widths, start));
}
