/*
 * Paths of requests, compared while they are still percent-encoded, so that
 * an encoded NUL or slash cannot end or part one.
 */
#ifndef OBS_NET_SERVER_SERVE_PATH_H
#define OBS_NET_SERVER_SERVE_PATH_H

#include <stdbool.h>

#include "base/io.h"
#include "base/str.h"

/*
 * A request's target may name the server, too ("absolute-form", RFC 9112,
 * section 3.2.2): "http://HOST:PORT/path". Returns where its path begins, "/"
 * when it has none; *authority is "HOST:PORT", or p is NULL in other targets.
 */
const char *serve_path_of(const char *target, struct str *authority);

/* Write a path as URLs have it, its odd bytes percent-encoded. */
void serve_path_put(struct out *out, const char *path);

/* Is encoded, once decoded, the path? Malformed escapes match nothing. */
bool serve_path_is(const char *encoded, const char *path);

#endif
