/*
 * The workers of a snapshot by those that they are compared with: one model,
 * and one role. Private to metrics/alarms.
 */
#ifndef OBS_METRICS_COHORTS_H
#define OBS_METRICS_COHORTS_H

#include "metrics/watch.h"

/* Each cohort that is present, in order of kin. */
struct cohorts {
	struct cohort *v;
	uint32_t n;
	size_t cap;
};

/* Compare the `all` watches that are present, at that time. 0 or an error. */
int cohorts_compare(struct cohorts *cohorts, struct watch *const *watches,
		    uint32_t all, double time,
		    const struct alarm_limits *limits, struct err *err);
void cohorts_free(struct cohorts *cohorts);

/* Those that a watch which is present belongs to; NULL if there are none. */
const struct cohort *cohorts_find(const struct cohorts *cohorts,
				  const struct watch *w);

#endif
