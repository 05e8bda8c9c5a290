#include "base/window.h"

#include <string.h>

struct window window_limited(struct byte_source *source, size_t max,
			     const char *limit)
{
	return (struct window){.source = source,
			       .kept = buf_limited(SIZE_MAX, limit),
			       .max = max,
			       .limit = limit};
}

void window_free(struct window *w)
{
	buf_free(&w->kept);
}

static int next_block(struct window *w, struct str *block, struct err *err)
{
	int rc = w->over ? 0 : w->source->next(w->source, block, err);

	w->over = rc <= 0;
	if (rc > 0)
		w->got += (int64_t)block->n;
	return rc;
}

/* Nothing is left: use the next block in place. */
static int take_block(struct window *w, struct err *err)
{
	struct str block = {NULL, 0};
	int rc = 1;

	while (rc == 1 && block.n == 0)
		rc = next_block(w, &block, err);
	w->in_kept = false;
	w->p = block.p;
	w->end = rc == 1 ? block.p + block.n : block.p;
	return rc;
}

/* Move the rest to the front of kept. */
static void keep(struct window *w)
{
	size_t left = (size_t)(w->end - w->p);

	if (w->in_kept) {
		memmove(w->kept.p, w->p, left);
		w->kept.n = left;
	} else {
		buf_clear(&w->kept);
		buf_put(&w->kept, w->p, left);
	}
	w->in_kept = true;
}

int window_fill(struct window *w, struct err *err)
{
	size_t left = (size_t)(w->end - w->p);
	size_t goal = left < w->max / 2 ? 2 * left : w->max + 1;
	struct str block = {NULL, 0};
	int rc = 1;

	if (left == 0)
		return take_block(w, err);
	if (left > w->max)
		return err_limit(err, w->max, w->limit);
	keep(w);
	while (rc == 1 && w->kept.n < goal) {
		rc = next_block(w, &block, err);
		if (rc == 1)
			buf_put(&w->kept, block.p, block.n);
	}
	if (w->kept.failed)
		return err_memory(err);
	w->p = w->kept.p;
	w->end = w->p + w->kept.n;
	return rc < 0 ? rc : w->kept.n > left;
}
