/*
 * The open connections of a server, by how long each has been in its stage:
 * sending a request, receiving an answer, or idle in between.
 *
 * A client that drips bytes could keep a connection open for ever without being
 * idle; here every stage has a time limit. A connection waiting for its answer
 * is in no stage and has no limit.
 *
 * Owns the peers, not their descriptors. Times are nanoseconds of the
 * monotonic clock, which never goes back, so the list stays sorted.
 */
#ifndef OBS_NET_SERVER_PEERS_H
#define OBS_NET_SERVER_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer {
	int fd;
	bool busy;     /* its request is in progress */
	bool admitted; /* it has one of the limited places */
	int64_t since; /* when its stage began; INT64_MAX while it waits */
	struct peer *before, *after;
};

struct peers {
	struct peer *first, *last; /* by since, the oldest first */
	size_t count;
	size_t busy;
	size_t admitted;
};

/* NULL if out of memory. */
struct peer *peers_add(struct peers *peers, int fd, int64_t now);
void peers_remove(struct peers *peers, struct peer *peer);

/* A new stage begins now; INT64_MAX: it waits. */
void peers_stage(struct peers *peers, struct peer *peer, bool busy,
		 int64_t now);

/* Does the peer have one of the places, or is one free for it? It then keeps
 * the place until it is removed. */
bool peers_admit(struct peers *peers, struct peer *peer, size_t places);

/* The one that has been in its stage the longest, or NULL. */
struct peer *peers_slowest(const struct peers *peers);

/* Of those without a request in progress the one that began its stage first, or
 * NULL. */
struct peer *peers_idle(const struct peers *peers);

#endif
