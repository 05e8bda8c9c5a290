/*
 * The open connections of a server, by how long each has been at what it is
 * at: sending a request, taking an answer, or idle in between.
 *
 * A client that drips bytes keeps a connection open for ever without ever
 * being idle; here every stage has to end in time. A connection that waits
 * for its answer is at no stage and has all the time it needs.
 *
 * Owns the peers, not their descriptors. Times are nanoseconds of the
 * monotonic clock, which does not go back: the list stays in order by itself.
 */
#ifndef OBS_NET_SERVER_PEERS_H
#define OBS_NET_SERVER_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer {
	int fd;
	bool busy;     /* a request of it is under way */
	bool admitted; /* it has one of the places there are */
	int64_t since; /* when its stage began; INT64_MAX while it waits */
	struct peer *before, *after;
};

struct peers {
	struct peer *first, *last; /* by since, the longest first */
	size_t count;
	size_t busy;
	size_t admitted;
};

/* NULL when memory ran out. */
struct peer *peers_add(struct peers *peers, int fd, int64_t now);
void peers_remove(struct peers *peers, struct peer *peer);

/* A new stage begins now; INT64_MAX: it waits. */
void peers_stage(struct peers *peers, struct peer *peer, bool busy,
		 int64_t now);

/* Has the peer one of so many places, or is one free for it? It then keeps
 * the place until it is removed. */
bool peers_admit(struct peers *peers, struct peer *peer, size_t places);

/* The one that has been at its stage for longest, or NULL. */
struct peer *peers_slowest(const struct peers *peers);

#endif
