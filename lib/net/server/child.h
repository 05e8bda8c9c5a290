/*
 * One child process: a command that is started, read without ever blocking,
 * and gone with all its process group when it is done.
 *
 *	child_start(&child, argv, max, &err)
 *	poll child_poll's descriptors and SIGCHLD, at most until child_due
 *	child_step(&child, now) until it returns true
 *	look at end, status, output, tail; then start again, or child_free
 *
 * The command leads a process group of its own, reads /dev/null, and has the
 * default signal actions and an empty signal mask. It is done when its leader
 * ended and its standard output is closed, or CHILD_LINGER later: what a
 * command left in the background does not hold the output up. What is left of
 * the group then is killed. child_stop asks all of the group to end, and kills
 * it after KILL_GRACE.
 *
 * The leader stays unreaped until the group was killed, so that its number
 * cannot mean another group meanwhile. For that reason, while a child runs,
 * nobody else may wait for "any child"; child_reap_others does it in between.
 *
 * Ownership: the struct owns output until child_free; argv is borrowed. Times
 * are nanoseconds of the monotonic clock.
 */
#ifndef OBS_NET_SERVER_CHILD_H
#define OBS_NET_SERVER_CHILD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

#define CHILD_LINGER (200 * NS_PER_MS)
#define KILL_GRACE (400 * NS_PER_MS)

/* How much of the end of standard error is kept. */
enum { CHILD_TAIL = 4096 };

enum child_end {
	CHILD_RUNS,
	CHILD_EXITED,	/* status is its exit status */
	CHILD_SIGNALED, /* status is the signal's number */
	CHILD_OVERFULL, /* it was stopped for printing more than allowed */
};

struct child {
	pid_t pid; /* of the leader and the group; 0 when none runs */
	int out;   /* reading ends, -1 once closed */
	int err;
	struct buf output;
	char tail[CHILD_TAIL]; /* the last bytes of standard error */
	size_t tail_n;
	int64_t exited;	 /* when the leader's end was seen, or 0 */
	int64_t kill_at; /* once asked to end: when the group is killed, 0
			    before, INT64_MAX after */
	enum child_end end;
	int status;
};

/* A child that keeps at most max bytes of output; nothing runs yet. */
struct child child_new(size_t max);

/* Stops and reaps what runs, at once. */
void child_free(struct child *c);

/*
 * From here on no program that this one starts gets a descriptor that came
 * from its own parent, other than 0, 1 and 2. Those opened here are closed on
 * exec already. Before Linux 5.11 they are inherited still.
 */
void child_keep_descriptors(void);

/* Run argv, found by PATH, forgetting the last output. 0, ERR_INPUT when the
 * command cannot be run at all, ERR_IO when the system has no room for it. */
int child_start(struct child *c, char *const argv[], struct err *err);

/* Read what is there, notice the end. Returns true once, when it is done. */
bool child_step(struct child *c, int64_t now);

/* Ask the group to end. */
void child_stop(struct child *c, int64_t now);

/* Fill the two descriptors to poll; those that are closed are -1. */
void child_poll(const struct child *c, struct pollfd fds[2]);

/* When child_step must be called even if nothing happens, or INT64_MAX. */
int64_t child_due(const struct child *c);

/* The last line of standard error that is not empty, without its end. */
struct str child_last_line(const struct child *c);

/*
 * Orphans. child_adopt makes this process inherit what its descendants leave
 * behind, as process 1 does; child_reap_others takes those that ended out of
 * the process table and may be called only while no child runs.
 */
void child_adopt(void);
void child_reap_others(void);

#endif
