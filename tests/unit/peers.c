#include "net/server/peers.h"

#include "check.h"

int main(void)
{
	struct peers peers = {0};
	struct peer *a = peers_add(&peers, 1, 10);
	struct peer *b = peers_add(&peers, 2, 20);
	struct peer *c = peers_add(&peers, 3, 30);

	check_case("the slowest is the one whose stage is the oldest");
	CHECK(peers_slowest(&peers) == a);
	peers_stage(&peers, a, true, 40);
	CHECK(peers_slowest(&peers) == b);
	check_case("one that waits is never the slowest of several");
	peers_stage(&peers, b, true, INT64_MAX);
	peers_stage(&peers, c, true, INT64_MAX);
	CHECK(peers_slowest(&peers) == a);
	peers_stage(&peers, a, false, 50);
	CHECK(peers_slowest(&peers) == a);
	CHECK_INT((int64_t)peers.busy, 2);
	check_case(
		"a place is kept until its peer goes, then free for another");
	CHECK(peers_admit(&peers, b, 2) && peers_admit(&peers, a, 2));
	CHECK(!peers_admit(&peers, c, 2));
	CHECK(peers_admit(&peers, a, 2));
	check_case(
		"of those without a request, the oldest is idle the longest");
	CHECK(peers_idle(&peers) == a);
	peers_stage(&peers, a, false, INT64_MAX);
	CHECK(peers_idle(&peers) == NULL);
	check_case("waiting ends");
	peers_stage(&peers, c, true, 60);
	peers_remove(&peers, a);
	CHECK(peers_admit(&peers, c, 2));
	CHECK(peers_slowest(&peers) == c);
	peers_remove(&peers, c);
	CHECK(peers_slowest(&peers) == b);
	peers_remove(&peers, b);
	CHECK(peers_slowest(&peers) == NULL);
	CHECK_INT((int64_t)peers.count, 0);
	CHECK_INT((int64_t)peers.busy, 0);
	return check_done();
}
