/*
 * Which buckets a histogram has had, in four bytes a histogram.
 *
 * The series of a family list the same bounds in the same, rising order. So
 * the bounds met so far are a path in a tree that all histograms share, and
 * its end stands for all of them: the next is new when it is above. A path
 * that does not rise is for the caller to keep in another way.
 */
#ifndef OBS_METRICS_BUCKET_PATH_H
#define OBS_METRICS_BUCKET_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "fmt/prom/prom_label.h"

enum { PATH_START = 0 /* no bucket yet */ };

struct bucket_path_end {
	double bound;
	uint64_t le; /* fingerprint of the label */
	uint32_t before;
	uint32_t after; /* the step that was taken last; PATH_START: none */
};

/* A label le that was read before. */
struct bucket_bound {
	uint64_t le; /* fingerprint */
	double bound;
};

struct bucket_paths {
	struct bucket_path_end *ends;
	uint32_t n;
	size_t cap;
	struct map steps;
	struct bucket_bound bounds[256]; /* by the last byte of le */
};

struct bucket_paths bucket_paths_new(void);
void bucket_paths_free(struct bucket_paths *p);

/* Forget all but the memory. */
void bucket_paths_clear(struct bucket_paths *p);

/* The number in a label le; false if it is none. */
bool bucket_bound_read(struct bucket_paths *p, const struct prom_label *le,
		       double *bound);

static inline bool bucket_bound(struct bucket_paths *p,
				const struct prom_label *le, double *bound)
{
	uint64_t hash = prom_label_hash(le);
	const struct bucket_bound *known = &p->bounds[hash & 255];

	*bound = known->bound;
	return (known->le == hash && hash != 0) ||
	       bucket_bound_read(p, le, bound);
}

/* bucket_path_step, whatever step was taken last. */
int bucket_path_turn(struct bucket_paths *p, uint32_t *end, double bound,
		     const struct prom_label *le);

/*
 * Lengthen the path that ends at *end by a bound and its label, le. Returns 1;
 * 0 when it does not rise, and *end stays; ERR_MEMORY.
 */
static inline int bucket_path_step(struct bucket_paths *p, uint32_t *end,
				   double bound, const struct prom_label *le)
{
	uint32_t to = p->n == 0 ? PATH_START : p->ends[*end].after;

	if (to == PATH_START || p->ends[to].le != prom_label_hash(le))
		return bucket_path_turn(p, end, bound, le);
	*end = to;
	return 1;
}

#endif
