/*
 * Two rollouts side by side: what changed, by how much, and whether that is
 * more than noise.
 *
 * The change of a key is (to - from) / |from|. Where both rollouts have at
 * least BOOTSTRAP_LEAST values of their own behind a mean, a median or a
 * percentile, the 95% bootstrap interval of the difference comes with it, by
 * the same |from|; a change whose interval holds 0 is noise. A max or min is a
 * single value: it has no interval and is judged neither better nor worse.
 */
#ifndef OBS_ROLLOUT_COMPARE_H
#define OBS_ROLLOUT_COMPARE_H

#include "base/err.h"
#include "rollout/figures.h"
#include "rollout/perf.h"

enum verdict {
	VERDICT_WORSE,
	VERDICT_BETTER,
	VERDICT_CHANGED, /* neither better nor worse by its meaning */
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
	double from;	 /* NaN: not there */
	double to;
	double relative; /* infinite from 0; NaN when one is not there */
	double low;	 /* of the interval; NaN: none */
	double high;
	enum verdict verdict;
	bool extreme; /* a min or max, which one value decides */
};

/* Owns v; from and to are borrowed and outlive it. */
struct comparison {
	struct change *v;
	size_t n;
	bool intervals; /* both rollouts have values */
};

/* One rollout of the two: its values, or none, and its figures. */
struct compared {
	struct perf *perf; /* NULL: only its figures are known */
	const struct figures *figures;
};

/*
 * Compare, the weightiest first: what is beyond the noise by the size of its
 * relative change, then noise likewise, then what one side lacks; equals in
 * the order of the keys. Returns 0 or ERR_MEMORY.
 */
int compare(struct comparison *comparison, const struct compared *from,
	    const struct compared *to, struct err *err);
void comparison_free(struct comparison *comparison);

/* Did the key get worse by more than the limit (0.05: a twentieth)? Noise
 * never does. */
bool change_exceeds(const struct change *change, double limit);

#endif
