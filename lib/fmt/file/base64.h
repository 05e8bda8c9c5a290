/* Base64 (RFC 4648, section 4), without line breaks. */
#ifndef OBS_FMT_FILE_BASE64_H
#define OBS_FMT_FILE_BASE64_H

#include "base/io.h"
#include "base/str.h"

void base64_put(struct out *out, struct str bytes);

#endif
