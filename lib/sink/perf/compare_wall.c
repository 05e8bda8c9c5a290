/*
 * How the wall times of two rollouts compare: the rollout lasts until its last
 * sample has ended, so the parts of that sample's time add up to the wall time.
 */
#include <math.h>
#include <stdlib.h>

#include "rollout/condition.h"
#include "rollout/what_if/advice.h"
#include "sink/perf/compare_sink.h"
#include "sink/perf/digest_parts.h"

enum { PARTS_SHOWN = 4 };

/* A change of less than this part of the wall time is none to speak of. */
static const double least_change = 0.005;

/* Parts of the last sample's time: activities, then these. */
enum { PART_BEFORE = ACTIVITIES, PART_REST, PARTS };

struct part_change {
	const char *word;
	double seconds;
};

static double wall_of(const struct digest_part *part)
{
	return part != NULL && part->times != NULL && part->times->samples > 0
		       ? part->times->wall
		       : (double)NAN;
}

struct compare_wall compare_wall(const struct compare_about *about)
{
	return (struct compare_wall){wall_of(about->before),
				     wall_of(about->after)};
}

/* Add the parts of the wall time, times sign. */
static void add_parts(struct part_change parts[PARTS],
		      const struct digest_part *part, double sign)
{
	const struct straggler *one = stragglers_last(part);
	double rest = part->times->wall;

	for (int a = 0; one != NULL && a < ACTIVITIES; a++) {
		parts[a].word = activity_word((enum activity)a);
		parts[a].seconds += sign * one->waits[a];
		rest -= one->waits[a];
	}
	if (one != NULL) {
		parts[PART_BEFORE].seconds += sign * one->start;
		rest -= one->start;
	}
	parts[PART_REST].seconds += sign * rest;
}

static int by_size(const void *x, const void *y)
{
	const struct part_change *a = x;
	const struct part_change *b = y;

	if (fabs(a->seconds) != fabs(b->seconds))
		return fabs(a->seconds) > fabs(b->seconds) ? -1 : 1;
	return 0;
}

/* "; of the last sample's time: decode +1.65 s, queue +1.17 s" */
static void put_parts(struct buf *text, const struct compare_about *about,
		      double change)
{
	struct part_change parts[PARTS] = {
		[PART_BEFORE] = {.word = "before it started"},
		[PART_REST] = {.word = "other waits"}};
	const char *comma = "; in the sample that ended last: ";

	add_parts(parts, about->after, 1);
	add_parts(parts, about->before, -1);
	qsort(parts, PARTS, sizeof(*parts), by_size);
	for (int i = 0; i < PARTS_SHOWN; i++) {
		if (fabs(parts[i].seconds) < fabs(change) / 20)
			break;
		buf_printf(text, "%s%s %c", comma, parts[i].word,
			   parts[i].seconds < 0 ? '-' : '+');
		what_if_put_seconds(text, fabs(parts[i].seconds));
		buf_puts(text, " s");
		comma = ", ";
	}
}

static void put_path(struct buf *text, const char *path)
{
	table_escape_path(text, str_of(path), TABLE_PATH_BYTES);
}

void compare_put_wall(struct buf *text, const struct compare_about *about)
{
	struct compare_wall wall = compare_wall(about);
	double change = wall.to - wall.from;

	if (isnan(change) || !(wall.from + wall.to > 0))
		return;
	put_path(text, about->to);
	buf_puts(text, " took ");
	what_if_put_seconds(text, wall.to);
	buf_puts(text, " s, ");
	if (fabs(change) <= least_change * wall.from) {
		buf_puts(text, "as long as ");
		put_path(text, about->from);
		return;
	}
	what_if_put_seconds(text, fabs(change));
	buf_puts(text, change > 0 ? " s longer than " : " s less than ");
	put_path(text, about->from);
	if (wall.from > 0)
		buf_printf(text, " (%+.0f%%)", 100 * change / wall.from);
	put_parts(text, about, change);
}

struct compare_work compare_work(const struct digest_part *part)
{
	struct compare_work work = {(double)NAN, (double)NAN};
	const struct stats *tokens;

	if (part->stragglers == NULL || part->samples == 0)
		return work;
	work.samples = (double)part->samples;
	tokens = stragglers_values(part->stragglers).tokens;
	if (tokens->n > 0)
		work.tokens = stats_sum(tokens->v, tokens->n);
	return work;
}

/* "samples 128 to 96 (-25%)"; false if they are about the same. */
static bool put_amount(struct buf *text, const char *before, const char *what,
		       double from, double to)
{
	double change = relative_change(from, to);

	if (!(fabs(change) > least_change))
		return false;
	buf_printf(text, "%s%s %.0f to %.0f (%+.0f%%)", before, what, from, to,
		   100 * change);
	return true;
}

void compare_put_work(struct buf *text, const struct compare_about *about)
{
	struct compare_work from = compare_work(about->before);
	struct compare_work to = compare_work(about->after);
	bool any = put_amount(text, "the workloads differ: ", "samples",
			      from.samples, to.samples);

	put_amount(text, any ? ", " : "the workloads differ: ", "tokens",
		   from.tokens, to.tokens);
}
