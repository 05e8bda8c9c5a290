#include "metrics/board_window.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static const double SLACK = 1e-6; /* in sums of seconds */

static void free_slot(struct window_slot *slot)
{
	for (size_t i = 0; i < WINDOW_HISTOGRAMS; i++)
		buckets_free(&slot->histograms[i]);
}

void board_window_free(struct board_window *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		free_slot(&w->slots[i]);
	free(w->slots);
	buckets_free(&w->scratch);
	*w = (struct board_window){0};
}

static struct window_slot *slot_at(const struct board_window *w, uint32_t i)
{
	return &w->slots[(w->first + i) % WINDOW_KEPT];
}

/* Clear the counts of a slot, keeping its memory. */
static void clear_slot(struct window_slot *slot, double begin)
{
	slot->begin = begin;
	for (size_t i = 0; i < WINDOW_SUMS; i++)
		slot->amounts[i] = (struct window_amount){0};
	for (size_t i = 0; i < WINDOW_HISTOGRAMS; i++)
		slot->histograms[i].n = slot->histograms[i].at = 0;
}

/* The slot for a time: the last one, until that covers its share of the window:
 * with smaller ones the ring would not span the window. NULL if out of
 * memory. */
static struct window_slot *slot_of(struct board_window *w, double time,
				   double seconds, double window)
{
	struct window_slot *slot;

	if (w->n > 0) {
		slot = slot_at(w, w->n - 1);
		if (slot->end - slot->begin < window / WINDOW_SLOTS - SLACK)
			return slot;
	}
	if (w->n == WINDOW_KEPT) {
		w->first = (w->first + 1) % WINDOW_KEPT;
		w->n--;
	} else if (!ARRAY_GROW_FEW(w->slots, w->n, w->cap)) {
		return NULL;
	} else {
		w->slots[w->n] = (struct window_slot){0};
	}
	slot = slot_at(w, w->n++);
	clear_slot(slot, time - seconds);
	return slot;
}

static void add(struct window_slot *slot, enum window_sum sum, double amount,
		double seconds)
{
	if (isnan(amount))
		return;
	slot->amounts[sum].sum += amount;
	slot->amounts[sum].seconds += seconds;
}

/* Do two histograms have the same bounds? */
static bool same_bounds(const struct buckets *b, const struct vital_buckets *v)
{
	if (b->n != v->n)
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		if (b->v[i].bound != v->v[i].bound)
			return false;
	return true;
}

/* If an engine's bounds change, use the new ones. */
static int add_buckets(struct window_slot *slot, enum window_histogram i,
		       const struct vital_buckets *v)
{
	struct buckets *b = &slot->histograms[i];
	int code = 0;

	if (v->n == 0)
		return 0;
	if (!same_bounds(b, v))
		b->n = b->at = 0;
	b->series = 1;
	slot->scales[i] = v->scale;
	for (uint32_t k = 0; code == 0 && k < v->n; k++)
		code = buckets_add(b, v->v[k].bound, v->v[k].count, 1);
	return code;
}

void board_window_shift(struct board_window *w, double seconds)
{
	for (uint32_t i = 0; i < w->n; i++) {
		w->slots[i].begin += seconds;
		w->slots[i].end += seconds;
	}
	w->reported_since += seconds;
}

int board_window_take(struct board_window *w, const struct worker *worker,
		      double time, double seconds, double window)
{
	const double *vital = worker->vital;
	struct window_slot *slot;
	int code;

	if (isnan(seconds) || worker->restarted)
		return 0;
	slot = slot_of(w, time, seconds, window);
	if (slot == NULL)
		return ERR_MEMORY;
	slot->end = time;
	add(slot, WINDOW_TOKENS, vital[VITAL_DECODE_RATE] * seconds, seconds);
	add(slot, WINDOW_TOKENS_LATE, vital[VITAL_TOKENS_LATE], seconds);
	add(slot, WINDOW_FINISHED, vital[VITAL_FINISHED], seconds);
	add(slot, WINDOW_BUSY, vital[VITAL_RUNNING] * seconds, seconds);
	add(slot, WINDOW_RETRACTED, vital[VITAL_RETRACTED], seconds);
	add(slot, WINDOW_ABORTED, vital[VITAL_ABORTED], seconds);
	add(slot, WINDOW_IDLE, vital[VITAL_IDLE_SHARE] * seconds, seconds);
	add(slot, WINDOW_HITS, worker->hits, seconds);
	add(slot, WINDOW_QUERIES, worker->queries, seconds);
	code = add_buckets(slot, WINDOW_TTFT, &worker->ttft);
	if (code == 0)
		code = add_buckets(slot, WINDOW_QUEUE_TIME,
				   &worker->queue_time);
	return code;
}

/* Is any of the slot after `from`? */
static bool counts(const struct window_slot *slot, double from)
{
	return slot->end > from + SLACK;
}

struct window_amount board_window_sum(const struct board_window *w, double from,
				      enum window_sum sum)
{
	struct window_amount all = {0};

	for (uint32_t i = 0; i < w->n; i++) {
		const struct window_slot *slot = slot_at(w, i);

		if (!counts(slot, from))
			continue;
		all.sum += slot->amounts[sum].sum;
		all.seconds += slot->amounts[sum].seconds;
	}
	return all;
}

static int add_slot(struct buckets *all, const struct buckets *b)
{
	int code = 0;

	for (uint32_t k = 0; code == 0 && k < b->n; k++)
		code = buckets_add(all, b->v[k].bound, b->v[k].count, 1);
	return code;
}

double board_window_quantile(struct board_window *w, double from,
			     enum window_histogram histogram, double q)
{
	struct buckets *all = &w->scratch;
	double scale = 1;

	all->n = all->at = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct window_slot *slot = slot_at(w, i);

		if (!counts(slot, from) || slot->histograms[histogram].n == 0)
			continue;
		scale = slot->scales[histogram];
		if (add_slot(all, &slot->histograms[histogram]) < 0)
			return (double)NAN;
	}
	return all->n == 0 ? (double)NAN : buckets_quantile(all, q) * scale;
}
