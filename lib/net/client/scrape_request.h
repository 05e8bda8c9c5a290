/*
 * What the headers of a scrape ask for. Both come from strangers: what is not
 * understood asks for nothing.
 */
#ifndef OBS_NET_CLIENT_SCRAPE_REQUEST_H
#define OBS_NET_CLIENT_SCRAPE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * The value of X-Prometheus-Scrape-Timeout-Seconds, a positive decimal number,
 * in nanoseconds, less a margin in which the answer travels: a tenth, at most
 * a quarter of a second. INT64_MAX when it sets no limit.
 */
int64_t scrape_request_timeout(struct str header);

/*
 * Does the value of Accept-Encoding take gzip, and like it no less than plain
 * text? RFC 9110, section 12.5.3: codings with weights, "*" for all others,
 * identity unless it is refused by name or by "*".
 */
bool scrape_request_takes_gzip(struct str header);

#endif
