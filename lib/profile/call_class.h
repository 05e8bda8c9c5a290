/* Calls of the GPU's runtime, by their effect on the host. */
#ifndef OBS_PROFILE_CALL_CLASS_H
#define OBS_PROFILE_CALL_CLASS_H

#include <stdbool.h>

#include "base/str.h"

enum call_class {
	CALL_LAUNCH,
	CALL_GRAPH,
	CALL_SYNC,
	CALL_COPY,
	CALL_OTHER,
	CALL_CLASSES
};

extern const char *const call_class_names[CALL_CLASSES];

enum call_class call_class_of(struct str name);

/* Does name equal lower, ignoring case? */
bool is_named(struct str name, const char *lower);

#endif
