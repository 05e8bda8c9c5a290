/*
 * Two sets of traces side by side: shares of the GPUs' time, steps by kind,
 * and the kernels that take most of it.
 *
 * The change of a key is (to - from) / |from|, null from 0. Less is better,
 * but of utilisation more is; counts, batches and compute have no better.
 * Where both sides have at least BOOTSTRAP_LEAST steps of a kind, what their
 * times changed by has a 95% bootstrap interval (base/bootstrap.h), and is
 * noise when that holds 0.
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
	double from, to;  /* NAN: one side does not have it */
	double change;	  /* NAN: not known */
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

/* Compare, with the top kernels by time of either side. 0 or an error. */
int profile_compare(struct profile_changes *changes,
		    const struct profile_totals *from,
		    const struct profile_totals *to, size_t top,
		    struct err *err);
void profile_changes_free(struct profile_changes *changes);

/* Do both sides have the figure, and can its verdict be worse? */
bool profile_change_is_judged(const struct profile_change *change);

/* Did a figure get worse by more than the limit (0.05: a twentieth)? */
bool profile_change_exceeds(const struct profile_change *change, double limit);

#endif
