/*
 * Compares two rollouts: what changed, by how much, and whether it is more than
 * noise.
 *
 * The change of a key is (to - from) / |from|. If both rollouts have at least
 * BOOTSTRAP_LEAST values behind a mean, a median or a percentile, the change
 * has its 95% bootstrap interval (if values of the first may be 0, that of the
 * difference, divided by the same |from|); if the interval includes 0, the
 * change is noise. A max or min is a single
 * value: it has no interval and is neither better nor worse.
 */
#ifndef OBS_ROLLOUT_COMPARE_H
#define OBS_ROLLOUT_COMPARE_H

#include "base/err.h"
#include "rollout/figures.h"
#include "rollout/perf.h"

enum verdict {
	VERDICT_WORSE,
	VERDICT_BETTER,
	VERDICT_CHANGED, /* neither better nor worse */
	VERDICT_NOISE,
	VERDICT_SAME,
	VERDICT_GONE, /* only the first rollout has it */
	VERDICT_NEW,  /* only the second */
	VERDICTS
};

/* "worse" and so on. */
const char *verdict_word(enum verdict verdict);

struct change {
	const char *key; /* of a list of figures */
	double from;	 /* NaN: missing */
	double to;
	double relative; /* infinite from 0; NaN if one is missing */
	double low;	 /* of the interval; NaN: none */
	double high;
	enum verdict verdict;
	bool extreme; /* a min or max, determined by a single value */
};

/* Owns v; from and to are borrowed and outlive it. */
struct comparison {
	struct change *v;
	size_t n;
	bool intervals; /* both rollouts have values */
};

/* One of the two rollouts: its values, if known, and its figures. */
struct compared {
	struct perf *perf; /* NULL: only its figures are known */
	const struct figures *figures;
};

/*
 * Compare, the most significant first: changes beyond noise by relative size,
 * then noise likewise, then keys missing on one side; ties in key order.
 * Returns 0 or ERR_MEMORY.
 */
int compare(struct comparison *comparison, const struct compared *from,
	    const struct compared *to, struct err *err);
void comparison_free(struct comparison *comparison);

/* Did the key get worse by more than the limit (0.05 means 5%)? Noise never
 * does. */
bool change_exceeds(const struct change *change, double limit);

#endif
