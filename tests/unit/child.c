#include "net/server/child.h"

#include <errno.h>
#include <signal.h>

#include "check.h"

/* Step until the child is done; how long that took, in ms. */
static int64_t finish(struct child *c)
{
	int64_t begin = clock_monotonic();
	struct pollfd fds[2];

	while (!child_step(c, clock_monotonic())) {
		child_poll(c, fds);
		poll(fds, 2, 5);
	}
	return (clock_monotonic() - begin) / NS_PER_MS;
}

static void start(struct child *c, const char *script)
{
	char *const argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
	struct err err = {0};

	if (!CHECK(child_start(c, argv, &err) == 0))
		printf("# %s\n", err.text);
}

static void check_output(struct child *c)
{
	check_case("what it prints is kept, and how it ended");
	start(c, "echo out; echo first >&2; echo last >&2; exit 3");
	finish(c);
	CHECK_INT(c->end, CHILD_EXITED);
	CHECK_INT(c->status, 3);
	CHECK_STR(buf_str(&c->output), "out\n");
	CHECK_STR(child_last_line(c), "last");
	check_case("the next run forgets the last one's");
	start(c, "kill -TERM $$");
	finish(c);
	CHECK_INT(c->end, CHILD_SIGNALED);
	CHECK_INT(c->status, SIGTERM);
	CHECK_INT((int64_t)c->output.n, 0);
	CHECK_STR(child_last_line(c), "");
	check_case("the end of a long standard error is kept");
	start(c, "seq 100000 >&2");
	finish(c);
	CHECK_INT((int64_t)c->tail_n, CHILD_TAIL);
	CHECK_STR(child_last_line(c), "100000");
}

static void check_ends(struct child *c)
{
	check_case("output past the ceiling ends it");
	start(c, "yes");
	CHECK(finish(c) < 2000);
	CHECK_INT(c->end, CHILD_OVERFULL);
	check_case("what stays in the background is not waited for for long");
	start(c, "echo 1; sleep 60 & exit 0");
	CHECK(finish(c) < 1500);
	CHECK_STR(buf_str(&c->output), "1\n");
	CHECK_INT(c->end, CHILD_EXITED);
	check_case("one that does not care to end is killed, group and all");
	start(c, "trap '' TERM; (trap '' TERM; sleep 60) & sleep 60; sleep 60");
	poll(NULL, 0, 100);
	child_stop(c, clock_monotonic());
	CHECK(finish(c) < 2000);
	CHECK_INT(c->end, CHILD_SIGNALED);
	CHECK_INT(c->status, SIGKILL);
}

static void check_failures(struct child *c)
{
	char *const argv[] = {"/no/such/command", NULL};
	struct err err = {0};

	check_case("a command that is none is told, and leaves nothing open");
	CHECK_INT(child_start(c, argv, &err), ERR_INPUT);
	CHECK(strstr(err.text, "/no/such/command") != NULL);
	CHECK_INT(c->pid, 0);
	CHECK(child_due(c) == INT64_MAX);
	CHECK(!child_step(c, clock_monotonic()));
}

/* The killed need a moment to go. */
static bool goes(pid_t group)
{
	for (int i = 0; i < 200; i++) {
		child_reap_others();
		if (kill(-group, 0) != 0 && errno == ESRCH)
			return true;
		poll(NULL, 0, 10);
	}
	return false;
}

static void check_free(struct child *c)
{
	pid_t group;

	check_case("freeing ends what runs, group and all");
	start(c, "sleep 60 & sleep 60");
	group = c->pid;
	child_free(c);
	CHECK(goes(group));
}

int main(void)
{
	struct child c = child_new((size_t)64 * 1024);

	child_adopt();
	check_output(&c);
	check_ends(&c);
	check_failures(&c);
	check_free(&c);
	return check_done();
}
