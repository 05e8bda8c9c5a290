/*
 * Many engines profiled together: which they are, what each is asked, and
 * what came of it.
 *
 *	profile_plan(&p, &list, only, &err)    the workers of a folded list
 *	profile_learn(&p, &err)                their roles and ranks, if needed
 *	profile_set_dirs(&p, dir, false, &err)
 *	profile_send(&p, PROFILE_START, NULL, &err)
 *
 * A round goes to all its workers at once, each by a connection of its own,
 * and each ends by its own deadline. What one worker does never changes what
 * another is sent.
 *
 * Ownership: targets and options are the caller's and outlive the profile;
 * the rest lives in its arena until profile_free. Times are nanoseconds of
 * the monotonic clock.
 */
#ifndef OBS_NET_CLIENT_PROFILE_H
#define OBS_NET_CLIENT_PROFILE_H

#include "base/arena.h"
#include "net/client/fetch.h"
#include "net/client/profile_ask.h"
#include "net/client/target.h"

struct profile_worker {
	const struct target *target; /* resolved by rules of base: its url is
					what all paths go under */
	const char *role;	     /* "prefill", "decode", ..., or "" */
	const char *dir;	     /* where its traces go, or NULL */
	size_t ranks;		     /* that write one each; 0: not known */
	/* Of the last round that it was in. */
	enum profile_verdict verdict;
	int status; /* of HTTP; 0: none */
	char text[PROFILE_TEXT_MAX];
	int64_t sent; /* 0: it was not */
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
	/* Of the last round that went to all. */
	int64_t first_sent; /* 0: nothing was */
	int64_t spread;	    /* from the first request to the last */
};

/* Which workers a round goes to; NULL stands for all. */
typedef bool profile_choice(const struct profile_worker *worker);

/* Take the workers of list whose address only, an extended regular
 * expression, matches; NULL matches all. A target with a problem becomes a
 * worker that is unreachable. 0, ERR_INPUT (the expression) or ERR_MEMORY. */
int profile_plan(struct profile *p, const struct target_list *list,
		 const char *only, struct err *err);
void profile_free(struct profile *p);

/* Ask the workers what they are. What one does not tell stays as it was. */
int profile_learn(struct profile *p, struct err *err);

/* Back to where nothing was asked; what was learned stays. */
void profile_forget(struct profile *p);

/* Keep the workers of this role; a worker of unknown role is regular. */
void profile_keep_role(struct profile *p, const char *role);

/* Give each worker its directory: under dir one named after its address, or
 * with shared, dir itself. File names do not tell workers apart. */
int profile_set_dirs(struct profile *p, const char *dir, bool shared,
		     struct err *err);

/* One round. Returns 0 when it was held, whatever came of it, or ERR_MEMORY.
 * When it was interrupted (see net/client/fetch.h) workers that had not answered
 * have timed out. */
int profile_send(struct profile *p, enum profile_action action,
		 profile_choice *choice, struct err *err);

/* Append the requests that profile_send would send, as text, keys left out. */
int profile_put_requests(const struct profile *p, enum profile_action action,
			 struct buf *out, struct err *err);

#endif
