/*
 * Access to a fleet of workers: options for requests, keys and sidecars, and
 * the fetcher that uses them.
 *
 * A program has one static struct fleet with its defaults, and adds the rows
 * below to its table. Keys come from files or the environment
 * (net/client/key.h) and stay here; NULL is no key.
 */
#ifndef OBS_CMD_FLEET_H
#define OBS_CMD_FLEET_H

#include "net/client/fetch.h"
#include "net/client/target.h"
#include "options.h"

struct fleet {
	struct fetch_options fetch; /* its timeout and max_bytes come from: */
	double timeout;		    /* seconds */
	int64_t max_bytes;
	struct target_rules rules;
	const char *key_file;
	const char *router_key_file;
	const char *worker_key_file;
	/* Set by fleet_open. */
	struct fetcher *fetcher;
	const char *key; /* for all without their own key */
	const char *router_key;
	const char *worker_key;
	struct buf keys[3];
};

/* clang-format off */
/* offset: the default, for --help. */
#define OPT_FLEET_SIDECARS(f, offset) \
	OPT_INT(0, "sidecar-port", "PORT", &(f)->rules.sidecar_port, 1, 65535, \
		"use PORT as the HTTP port of all gRPC workers"), \
	OPT_INT(0, "sidecar-offset", "N", &(f)->rules.sidecar_offset, \
		-65535, 65535, "without --sidecar-port, add N to the gRPC " \
		"port (default " offset ")")
/* time, most: the defaults of --timeout and --concurrency, for --help. */
#define OPT_FLEET_REQUESTS(f, time, most) \
	OPT_TIMEOUT(&(f)->timeout, time), \
	OPT_CONCURRENCY(&(f)->fetch.concurrency, most), \
	OPT_INT(0, "retries", "N", &(f)->fetch.retries, 0, 100, \
		"retry a failed request up to N times (default 0)"), \
	OPT_STR(0, "api-key-file", "FILE", &(f)->key_file, \
		"send the key in FILE to routers and HTTP workers"), \
	OPT_STR(0, "router-key-file", "FILE", &(f)->router_key_file, \
		"send routers the key in this FILE instead"), \
	OPT_STR(0, "worker-key-file", "FILE", &(f)->worker_key_file, \
		"send HTTP workers the key in this FILE instead"), \
	OPT_STR(0, "cacert", "FILE", &(f)->fetch.http.cacert, \
		"trust the certificates in FILE"), \
	OPT_FLAG(0, "insecure", &(f)->fetch.http.insecure, \
		 "do not verify certificates"), \
	OPT_FLAG(0, "proxy-env", &(f)->fetch.http.proxy_env, \
		 "use the proxies set in the environment")
/* clang-format on */

/* Add the router in OBS_ROUTER, if set. */
void fleet_default_router(struct opt_list *routers);

/* Read the keys and create the fetcher; ends the program on failure. */
void fleet_open(struct fleet *fleet);
void fleet_close(struct fleet *fleet);

#endif
