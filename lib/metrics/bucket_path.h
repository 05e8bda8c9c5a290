/*
 * The set of buckets seen of a histogram, in four bytes per histogram.
 *
 * The series of a family list the same bounds in the same, rising order. So the
 * bounds seen so far are a path in a tree shared by all histograms, and its
 * last node identifies them: the next bound is new if it is larger. The caller
 * must handle bounds that do not rise.
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
	uint32_t after; /* the last step taken; PATH_START: none */
};

/* A label le that was parsed before. */
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

/* Clear, keeping the memory. */
void bucket_paths_clear(struct bucket_paths *p);

/* The number in a label le; false if it is not one. */
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

/* bucket_path_step, without the shortcut of the last step. */
int bucket_path_turn(struct bucket_paths *p, uint32_t *end, double bound,
		     const struct prom_label *le);

/*
 * Extend the path that ends at *end by a bound and its label, le. Returns 1; 0
 * if it does not rise, leaving *end; ERR_MEMORY.
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
