/* Names of Python functions may contain addresses: " at 0x7f...". */
#ifndef OBS_PROFILE_PYTHON_NAME_H
#define OBS_PROFILE_PYTHON_NAME_H

#include "base/buf.h"
#include "base/str.h"

/* The name without them: name itself, or a copy in scratch. */
struct str python_name(struct buf *scratch, struct str name);

#endif
