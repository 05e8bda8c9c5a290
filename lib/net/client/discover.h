/*
 * Where targets come from, and how they are asked for again.
 *
 * A source is an operand, a file, a service-discovery URL, a router or a Ray
 * dashboard. Those of the network are asked by the paths that their
 * generations have had, one after the other while they answer 404; all
 * sources are asked at once.
 *
 *	router  /workers, /list_workers; then /server_info and /get_server_info
 *	        tell a worker, which is its own only target
 *	ray     /nodes?view=summary, /api/prometheus/sd
 *
 * A source that fails keeps the targets it gave before, so that a long-running
 * program outlives a list that is just being rewritten.
 *
 * Ownership: where and key are the caller's; the targets are the source's and
 * live until it is asked again or freed.
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
	const char *where; /* as the user named it; "-" is stdin, which is read
			      once */
	const char *key;   /* sent there, or NULL */
	struct target_list targets; /* the last that were good */
	/* Of the last time: what went wrong, or code 0. An answer that lists
	 * nothing is ERR_IO. No text holds credentials. */
	struct err error;
};

/* A source that was not asked yet; its kind is made precise by `where`. */
struct source source_new(enum source_kind kind, const char *where,
			 const char *key);
void source_free(struct source *source);

/*
 * Ask all n sources and append the targets of each to list, in order. Each
 * one's outcome is in its `error`; returns 0, or ERR_MEMORY.
 */
int discover(struct source *sources, size_t n, const struct target_rules *rules,
	     struct fetcher *fetcher, struct target_list *list,
	     struct err *err);

#endif
