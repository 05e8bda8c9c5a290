#ifndef OBS_PROFILE_EVENT_CATEGORY_H
#define OBS_PROFILE_EVENT_CATEGORY_H

#include <stdbool.h>

#include "base/str.h"

/* The kind of an event, from its category. */
enum event_category {
	KIND_KERNEL,
	KIND_COPY,
	KIND_SET,
	KIND_CALL,
	KIND_OP,
	KIND_NOTE,
	KIND_PYTHON,
	KIND_OVERHEAD,
	KIND_IGNORED,
	KIND_OTHER
};

enum event_category event_category_of(struct str category);

/* Is it part of what a profile recorded, of the interval it covers? */
bool event_counts(enum event_category category);

#endif
