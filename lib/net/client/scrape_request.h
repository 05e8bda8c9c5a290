/*
 * The headers of a scrape. They are untrusted: malformed ones are ignored.
 */
#ifndef OBS_NET_CLIENT_SCRAPE_REQUEST_H
#define OBS_NET_CLIENT_SCRAPE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * The value of X-Prometheus-Scrape-Timeout-Seconds, a positive decimal number,
 * in nanoseconds, minus a margin for the response to travel: a tenth, at most a
 * quarter of a second. INT64_MAX if it sets no limit.
 */
int64_t scrape_request_timeout(struct str header);

/*
 * Does the value of Accept-Encoding accept gzip, at least as much as plain
 * text? RFC 9110, section 12.5.3: codings with weights, "*" for all others,
 * identity unless excluded by name or by "*".
 */
bool scrape_request_takes_gzip(struct str header);

#endif
