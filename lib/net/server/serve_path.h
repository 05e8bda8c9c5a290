/*
 * Request paths, compared while still percent-encoded, so that an encoded NUL
 * or slash cannot end or split one.
 */
#ifndef OBS_NET_SERVER_SERVE_PATH_H
#define OBS_NET_SERVER_SERVE_PATH_H

#include <stdbool.h>

#include "base/io.h"
#include "base/str.h"

/*
 * A request's target may include the server ("absolute-form", RFC 9112, section
 * 3.2.2): "http://HOST:PORT/path". Returns where its path begins, "/" if it has
 * none; *authority is "HOST:PORT", or p is NULL for other targets.
 */
const char *serve_path_of(const char *target, struct str *authority);

/* Write a path for a URL, special bytes percent-encoded. */
void serve_path_put(struct out *out, const char *path);

/* Does encoded, once decoded, equal path? Malformed escapes match nothing. */
bool serve_path_is(const char *encoded, const char *path);

#endif
