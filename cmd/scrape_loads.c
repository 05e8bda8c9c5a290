#include "scrape_loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "common.h"

static const char METRICS[] = "/metrics";
static const char LOADS[] = "/v1/loads?format=prometheus";

bool loads_may_help(const struct target *t, const struct fetch_reply *reply)
{
	return str_ends(str_of(t->url), METRICS) &&
	       (reply->status == 404 || reply->status == 405 ||
		reply->status == 410 || reply->status == 501);
}

char *loads_url(const struct target *t)
{
	size_t base = strlen(t->url) - strlen(METRICS);
	char *url = malloc(base + sizeof(LOADS));

	if (url == NULL)
		die_memory();
	memcpy(url, t->url, base);
	memcpy(url + base, LOADS, sizeof(LOADS));
	return url;
}

void loads_report(struct map *reported, const struct target *t)
{
	int added =
		map_add(reported, hash_bytes(t->url, strlen(t->url), 1), NULL);

	if (added < 0)
		die_memory();
	if (added == 1)
		note("%s: /metrics is off; reading the load of the scheduler "
		     "from /v1/loads instead",
		     t->address);
}
