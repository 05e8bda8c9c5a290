/*
 * Paths of requests, compared while they are still percent-encoded, so that
 * an encoded NUL or slash cannot end or part one.
 */
#ifndef OBS_NET_SERVER_SERVE_PATH_H
#define OBS_NET_SERVER_SERVE_PATH_H

#include <stdbool.h>

/* Is encoded, once decoded, the path? Malformed escapes match nothing. */
bool serve_path_is(const char *encoded, const char *path);

#endif
