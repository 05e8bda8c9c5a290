/*
 * Engines that serve no /metrics: the load of their schedulers, which SGLang
 * 0.5.8 and later serve at /v1/loads whatever the options, has running and
 * waiting requests, KV usage and throughput.
 */
#ifndef OBS_CMD_SCRAPE_LOADS_H
#define OBS_CMD_SCRAPE_LOADS_H

#include "base/map.h"
#include "net/client/fetch.h"
#include "net/client/target.h"

/* A target that was asked, at first for its metrics. */
struct scraped {
	const struct target *target;
	struct http_request request;
	char *load_url;	  /* where its load was asked for; NULL: it was not */
	struct err error; /* why: what came of its metrics */
};

/* Is the reply that of a server whose /metrics is off? */
bool loads_may_help(const struct target *t, const struct fetch_reply *reply);

/* Where the load of such a target is; the caller frees it. */
char *loads_url(const struct target *t);

/* Say once of each target that it is its load that is printed. */
void loads_tell(struct map *told, const struct target *t);

#endif
