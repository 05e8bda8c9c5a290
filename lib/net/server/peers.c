#include "net/server/peers.h"

#include <stdlib.h>

static void unlink_peer(struct peers *peers, struct peer *peer)
{
	*(peer->before ? &peer->before->after : &peers->first) = peer->after;
	*(peer->after ? &peer->after->before : &peers->last) = peer->before;
}

/* Stages begin in order of time, and waiting peers are last: only these are
 * walked over from the end. */
static void link_peer(struct peers *peers, struct peer *peer)
{
	struct peer *before = peers->last;

	while (before != NULL && before->since > peer->since)
		before = before->before;
	peer->before = before;
	peer->after = before ? before->after : peers->first;
	*(peer->before ? &peer->before->after : &peers->first) = peer;
	*(peer->after ? &peer->after->before : &peers->last) = peer;
}

struct peer *peers_add(struct peers *peers, int fd, int64_t now)
{
	struct peer *peer = calloc(1, sizeof(*peer));

	if (peer == NULL)
		return NULL;
	peer->fd = fd;
	peer->since = now;
	link_peer(peers, peer);
	peers->count++;
	return peer;
}

void peers_remove(struct peers *peers, struct peer *peer)
{
	unlink_peer(peers, peer);
	peers->count--;
	peers->busy -= peer->busy;
	peers->admitted -= peer->admitted;
	free(peer);
}

void peers_stage(struct peers *peers, struct peer *peer, bool busy, int64_t now)
{
	unlink_peer(peers, peer);
	peers->busy += (size_t)busy - (size_t)peer->busy;
	peer->busy = busy;
	peer->since = now;
	link_peer(peers, peer);
}

bool peers_admit(struct peers *peers, struct peer *peer, size_t places)
{
	if (!peer->admitted && peers->admitted < places) {
		peer->admitted = true;
		peers->admitted++;
	}
	return peer->admitted;
}

struct peer *peers_slowest(const struct peers *peers)
{
	return peers->first;
}

struct peer *peers_idle(const struct peers *peers)
{
	struct peer *peer = peers->first;

	while (peer != NULL && peer->busy)
		peer = peer->after;
	return peer == NULL || peer->since == INT64_MAX ? NULL : peer;
}
