/*
 * Engines without /metrics: the load of their schedulers, which SGLang 0.5.8
 * and later always serve at /v1/loads, has running and waiting requests, KV
 * usage and throughput.
 */
#ifndef OBS_CMD_SCRAPE_LOADS_H
#define OBS_CMD_SCRAPE_LOADS_H

#include "base/map.h"
#include "net/client/fetch.h"
#include "net/client/target.h"

/* A target being scraped, first for its metrics. */
struct scraped {
	const struct target *target;
	struct http_request request;
	char *load_url;	  /* URL of its load; NULL: not requested */
	struct err error; /* why: the result for its metrics */
};

/* Is the reply from a server with /metrics disabled? */
bool loads_may_help(const struct target *t, const struct fetch_reply *reply);

/* The URL of such a target's load; the caller frees it. */
char *loads_url(const struct target *t);

/* Report once per target that its load is printed instead. */
void loads_report(struct map *reported, const struct target *t);

#endif
