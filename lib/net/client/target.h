/*
 * Targets: entries of a list of workers, turned into URLs to fetch.
 *
 * An entry as listed is a URL, HOST:PORT, grpc://HOST:PORT or unix:PATH[:URI].
 * The rules, from the gateway's design and the reports of its users:
 *  - data-parallel ranks are listed as BASE@RANK; the rank is removed; entries
 *    with the same URL are one target;
 *  - the metrics of a gRPC worker are at an HTTP sidecar, see target_rules;
 *  - an entry's own metrics_url takes precedence;
 *  - a key goes to HTTP workers only, and only to the origin that was listed:
 *    never to a sidecar or to a metrics_url elsewhere;
 *  - a malformed entry is kept with its problem, never guessed.
 *
 * Everything a target points to lives in its list's arena. Credentials are only
 * in `user`, never in text that could be printed.
 */
#ifndef OBS_NET_CLIENT_TARGET_H
#define OBS_NET_CLIENT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "fmt/prom/prom.h"

struct target {
	const char *address; /* as listed, without rank, credentials and
			      * trailing slash */
	const char *problem; /* why there is no url, or NULL */
	const char *url;     /* http or https; NULL when there is a problem */
	const char *socket;  /* the unix socket to connect to, or NULL */
	const char *user;    /* credentials of the URL, or NULL */
	const char *role;    /* worker_type from a router, or "" */
	size_t entries;	     /* entries of the list with this URL */
	size_t ranks;	     /* of these, those of the form BASE@RANK */
	bool keyed;	     /* a worker's key may be sent to it */
	const struct prom_label *labels; /* plain text, NUL-terminated */
	size_t label_n;
};

struct target_list {
	struct arena arena;
	struct target *v;
	size_t n;
	size_t cap;
	size_t skipped; /* entries without an address */
};

struct target_rules {
	const char *path;	/* under a worker: "/metrics" */
	bool base;		/* treat every entry as a base for path: its own
				 * path is a prefix, and its metrics endpoint is
				 * ignored */
	int64_t sidecar_port;	/* of every gRPC worker; 0: use the offset */
	int64_t sidecar_offset; /* added to the gRPC port, or subtracted if the
				 * sum exceeds 65535 */
};

/* An entry as listed; p of an absent member is NULL. */
struct target_entry {
	struct str listed;
	struct str metrics_url;
	struct str scheme; /* if the entry has none; http if absent */
	struct str path;   /* instead of the rules' */
	struct str role;
	bool is_base; /* a path in it is a prefix, not the endpoint */
	bool is_rank; /* of a server, although listed does not show it */
	const struct prom_label *labels; /* in the list's arena */
	size_t label_n;
};

/* The port of the HTTP sidecar for a gRPC port; it may be invalid. */
int64_t target_sidecar_port(const struct target_rules *rules, int64_t port);

struct target_list target_list_new(void);
void target_list_free(struct target_list *list);

/* Append the target of an entry. 0 or ERR_MEMORY: a malformed entry becomes a
 * target with a problem. */
int target_add(struct target_list *list, const struct target_rules *rules,
	       const struct target_entry *entry, struct err *err);

/* The same for an operand, which may also be WORKER=URL, and for a text of one
 * operand per line, with comments from # on. */
int target_add_operand(struct target_list *list,
		       const struct target_rules *rules, struct str operand,
		       struct err *err);
int target_add_lines(struct target_list *list, const struct target_rules *rules,
		     struct str text, struct err *err);

/* Append all of from, whose arena must outlive list. */
int target_add_all(struct target_list *list, const struct target_list *from,
		   struct err *err);

/*
 * Set every target's complete labels: the address under addr_label (NULL:
 * omitted), those from service discovery, and more; the last duplicate counts.
 * addr_label is borrowed. 0 or ERR_MEMORY.
 */
int target_set_labels(struct target_list *list, const char *addr_label,
		      const struct prom_label *more, size_t n, struct err *err);

/* Two targets with equal labels, whose series cannot be distinguished; NULL if
 * there are none. 0 or ERR_MEMORY. */
int target_find_alike(const struct target_list *list,
		      const struct target *pair[2], struct err *err);

/* Keep the first of targets with the same URL. 0 or ERR_MEMORY. */
int target_fold(struct target_list *list, struct err *err);

#endif
