/* Facts about an engine's steps in the names of annotations. */
#ifndef OBS_PROFILE_STEP_NAME_H
#define OBS_PROFILE_STEP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum step_kind {
	STEP_DECODE,
	STEP_DRAFT,
	STEP_IDLE,
	STEP_MIXED,
	STEP_OTHER,
	STEP_PREFILL,
	STEP_PROFILER,
	STEP_VERIFY,
	STEP_KINDS
};

extern const char *const step_kind_names[STEP_KINDS];

enum { STEP_UNKNOWN = -1 };

struct engine_step_name {
	enum step_kind kind;
	int64_t batch, tokens; /* STEP_UNKNOWN if the name does not have it */
};

/* Parse the name of an annotation; false if it is not a step's. */
bool engine_step_name_read(struct str name, struct engine_step_name *step);

#endif
