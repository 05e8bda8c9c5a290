/*
 * Profiling many engines together: their list, the requests and the results.
 *
 *	profile_plan(&p, &list, only, &err)    the workers of a folded list
 *	profile_learn(&p, &err)                their roles and ranks, if needed
 *	profile_set_dirs(&p, dir, false, &err)
 *	profile_send(&p, PROFILE_START, NULL, &err)
 *
 * A round sends to all its workers at once, each over its own connection and
 * with its own deadline. No worker affects what another is sent.
 *
 * Ownership: targets and options are the caller's and outlive the profile;
 * everything else lives in its arena until profile_free. Times are nanoseconds
 * of
 * the monotonic clock.
 */
#ifndef OBS_NET_CLIENT_PROFILE_H
#define OBS_NET_CLIENT_PROFILE_H

#include "base/arena.h"
#include "net/client/fetch.h"
#include "net/client/profile_ask.h"
#include "net/client/target.h"

struct profile_worker {
	const struct target *target; /* resolved as a base: all paths go under
				      * its url */
	const char *role;	     /* "prefill", "decode", ..., or "" */
	const char *dir;	     /* its trace directory, or NULL */
	size_t ranks;		     /* that write a trace each; 0: unknown */
	/* From the last round that it was in. */
	enum profile_verdict verdict;
	int status; /* HTTP status; 0: none */
	char text[PROFILE_TEXT_MAX];
	int64_t sent; /* 0: not sent */
	int64_t duration;
};

struct profile {
	struct fetch_options fetch;
	const char *key; /* of workers, or NULL */
	enum profile_engine engine;
	struct profile_fields fields;
	struct arena arena;
	struct profile_worker *v;
	size_t n;
	/* From the last round that went to all. */
	int64_t first_sent; /* 0: nothing was sent */
	int64_t spread;	    /* from the first request to the last */
};

/* The workers of a round; NULL means all. */
typedef bool profile_choice(const struct profile_worker *worker);

/* Add the workers of list whose address matches only, an extended regular
 * expression; NULL matches all. A target with a problem becomes an unreachable
 * worker. 0, ERR_INPUT (the expression) or ERR_MEMORY. */
int profile_plan(struct profile *p, const struct target_list *list,
		 const char *only, struct err *err);
void profile_free(struct profile *p);

/* Query the workers' identity. Facts that one does not report are unchanged. */
int profile_learn(struct profile *p, struct err *err);

/* Reset to before any request; learned facts stay. */
void profile_forget(struct profile *p);

/* Keep the workers of this role; an unknown role counts as regular. */
void profile_keep_role(struct profile *p, const char *role);

/* Set each worker's directory: under dir, named after its address, or dir
 * itself if shared. File names do not identify the worker. */
int profile_set_dirs(struct profile *p, const char *dir, bool shared,
		     struct err *err);

/* One round. Returns 0 once it is done, whatever the results, or ERR_MEMORY. If
 * it was interrupted (see net/client/fetch.h), workers that had not answered
 * have timed out. */
int profile_send(struct profile *p, enum profile_action action,
		 profile_choice *choice, struct err *err);

/* Append the requests that profile_send would send, as text, without keys. */
int profile_put_requests(const struct profile *p, enum profile_action action,
			 struct buf *out, struct err *err);

#endif
