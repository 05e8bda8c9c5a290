#include "rollout/running.h"

/* How many of the sorted moments are one and the same, at most. */
static size_t most_at_once(const struct stats *moments)
{
	size_t most = 0;
	size_t first = 0;

	for (size_t i = 0; i < moments->n; i++) {
		if (moments->v[i] > moments->v[first])
			first = i;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	return most;
}

struct running running_of(struct stats *starts, struct stats *ends,
			  size_t samples)
{
	struct running running = {0};
	size_t n = starts->n;
	size_t s = 0, e = 0; /* begun and ended so far */

	stats_sort(starts);
	stats_sort(ends);
	while (e < n) {
		double now = s < n && starts->v[s] < ends->v[e] ? starts->v[s]
								: ends->v[e];
		double next;

		while (s < n && starts->v[s] <= now)
			s++;
		while (e < n && ends->v[e] <= now)
			e++;
		if (e == n)
			break;
		next = s < n && starts->v[s] < ends->v[e] ? starts->v[s]
							  : ends->v[e];
		running.peak = s - e > running.peak ? s - e : running.peak;
		if (10 * (s - e) < samples)
			running.tail += next - now;
	}
	if (running.peak == 0)
		running.peak = most_at_once(starts);
	return running;
}
