/*
 * Compares two sets of traces: shares of the GPUs' time, steps by kind, and the
 * top kernels by time.
 *
 * The change of a key is (to - from) / |from|, null from 0. Less is better,
 * except for utilisation; counts, batches and compute are neutral. If both
 * sides have at least BOOTSTRAP_LEAST steps of a kind, the change of their
 * times has a 95% bootstrap interval (base/bootstrap.h), and is noise if that
 * includes 0. So is a change of what took under 1% of the GPUs' time on both
 * sides.
 */
#ifndef OBS_PROFILE_PROFILE_COMPARE_H
#define OBS_PROFILE_PROFILE_COMPARE_H

#include "profile/profile_totals.h"

enum profile_verdict_word {
	CHANGE_WORSE,
	CHANGE_BETTER,
	CHANGE_CHANGED,
	CHANGE_NOISE,
	CHANGE_SAME,
	CHANGE_GONE,
	CHANGE_NEW,
	CHANGE_VERDICTS
};

/* "worse" and so on. */
extern const char *const profile_change_words[CHANGE_VERDICTS];

struct profile_change {
	struct str key;
	double from, to;  /* NAN: missing on one side */
	double change;	  /* NAN: unknown */
	double low, high; /* of the interval; NAN: none */
	enum profile_verdict_word verdict;
};

/* Owns all; by verdict, the largest change first. */
struct profile_changes {
	struct profile_change *v;
	size_t n, cap;
	bool intervals; /* one has an interval */
	struct arena text;
};

/* Compare, with the top kernels by time on either side. 0 or an error. */
int profile_compare(struct profile_changes *changes,
		    const struct profile_totals *from,
		    const struct profile_totals *to, size_t top,
		    struct err *err);
void profile_changes_free(struct profile_changes *changes);

/* Do both sides have the figure, and can it get worse? */
bool profile_change_is_judged(const struct profile_change *change);

/* Did a figure get worse by more than the limit (0.05 means 5%)? */
bool profile_change_exceeds(const struct profile_change *change, double limit);

#endif
