/* What obs-aggregate --alarms has to say when its input ends. */
#ifndef OBS_CMD_AGGREGATE_ALARMS_H
#define OBS_CMD_AGGREGATE_ALARMS_H

#include "aggregate_settings.h"

/* Report what could not be judged and what does not hold for long enough yet;
 * raises the status where the answer is not complete. */
void aggregate_alarms_end(const struct aggregate_settings *s,
			  const struct aggregate *a);

#endif
