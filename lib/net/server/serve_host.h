/*
 * Is a request meant for this server?
 *
 * A page on any site can make its own name resolve to 127.0.0.1 and then ask a
 * local server for data with the browser's help (DNS rebinding). The Host
 * header still has that site's name. Accepted are localhost, IP literals (an
 * address cannot be rebound), and the names given. The port is not compared, so
 * forwarded ports work.
 *
 * Syntax of Host: RFC 9110, section 7.2.
 */
#ifndef OBS_NET_SERVER_SERVE_HOST_H
#define OBS_NET_SERVER_SERVE_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* names are compared ignoring case; empty ones match nothing. */
bool serve_host_accepts(struct str header, const struct str *names,
			size_t count);

#endif
