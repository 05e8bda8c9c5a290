/*
 * Sources of targets, and how to refresh them.
 *
 * A source is an operand, a file, a service-discovery URL, a router or a Ray
 * dashboard. Network sources are queried by the paths of their versions, one
 * after the other while they return 404; all sources are queried at once.
 *
 *	router  /workers, /list_workers; then /server_info and /get_server_info
 *	        tell a worker, which is its own only target
 *	ray     /nodes?view=summary, /api/prometheus/sd
 *
 * A source that fails keeps its last targets, so a long-running program
 * survives a list that is being rewritten.
 *
 * Ownership: where and key are the caller's; the targets are the source's and
 * live until it is queried again or freed.
 */
#ifndef OBS_NET_CLIENT_DISCOVER_H
#define OBS_NET_CLIENT_DISCOVER_H

#include "net/client/fetch.h"
#include "net/client/target.h"

enum source_kind {
	SOURCE_OPERAND, /* one operand, see target_add_operand, or "-" */
	SOURCE_LINES,	/* a file of operands, see target_add_lines */
	SOURCE_FILE,   /* a file of JSON, of any shape in net/client/roster.h */
	SOURCE_SD,     /* the URL of such a document, or the file */
	SOURCE_ROUTER, /* base URL */
	SOURCE_RAY,    /* base URL of the dashboard */
};

struct source {
	enum source_kind kind;
	const char *where; /* as named by the user; "-" is stdin, read once */
	const char *key;   /* sent there, or NULL */
	struct target_list targets; /* the last good ones */
	/* Of the last query: what went wrong, or code 0. A reply that lists
	 * nothing is ERR_IO. No text holds credentials. */
	struct err error;
};

/* A new source; `where` refines its kind. */
struct source source_new(enum source_kind kind, const char *where,
			 const char *key);
void source_free(struct source *source);

/*
 * Query all n sources and append the targets of each to list, in order. Each
 * one's outcome is in its `error`; returns 0, or ERR_MEMORY.
 */
int discover(struct source *sources, size_t n, const struct target_rules *rules,
	     struct fetcher *fetcher, struct target_list *list,
	     struct err *err);

#endif
