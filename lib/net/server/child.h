/*
 * One child process: a command that is started, read without blocking, and
 * killed with its process group when it is done.
 *
 *	child_start(&child, argv, max, &err)
 *	poll child_poll's descriptors and SIGCHLD, at most until child_due
 *	child_step(&child, now) until it returns true
 *	look at end, status, output, tail; then start again, or child_free
 *
 * The command leads a process group of its own, reads /dev/null, and has the
 * default signal actions and an empty signal mask. It is done once its leader
 * has ended and its standard output is closed, or CHILD_LINGER later:
 * background processes do not delay the output. The rest of the group is then
 * killed. child_stop terminates the group, and kills it after KILL_GRACE.
 *
 * The leader is not reaped until the group is killed, so its number cannot be
 * reused before. Therefore nothing else may wait for "any child" while a child
 * runs; child_reap_others does it in between.
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

/* How many bytes of the end of standard error are kept. */
enum { CHILD_TAIL = 4096 };

enum child_end {
	CHILD_RUNS,
	CHILD_EXITED,	/* status is its exit status */
	CHILD_SIGNALED, /* status is the signal's number */
	CHILD_OVERFULL, /* it was stopped because it printed too much */
};

struct child {
	pid_t pid; /* of the leader and the group; 0 if none runs */
	int out;   /* read ends, -1 once closed */
	int err;
	struct buf output;
	char tail[CHILD_TAIL]; /* the last bytes of standard error */
	size_t tail_n;
	int64_t exited;	 /* when the leader's end was seen, or 0 */
	int64_t kill_at; /* after termination: when the group is killed; 0
			  * before, INT64_MAX once killed */
	enum child_end end;
	int status;
};

/* A child that keeps at most max bytes of output; not started. */
struct child child_new(size_t max);

/* Stops and reaps a running child at once. */
void child_free(struct child *c);

/*
 * From now on, started programs do not inherit descriptors from this program's
 * parent, other than 0, 1 and 2. Those opened here are already close-on-exec.
 * Before Linux 5.11 they are still inherited.
 */
void child_keep_descriptors(void);

/* Run argv, found by PATH, dropping the last output. 0, ERR_INPUT if the
 * command cannot be run at all, ERR_IO if the system lacks resources. */
int child_start(struct child *c, char *const argv[], struct err *err);

/* Read what is available, check for the end. Returns true once, when done. */
bool child_step(struct child *c, int64_t now);

/* Terminate the group. */
void child_stop(struct child *c, int64_t now);

/* Fill the two descriptors to poll; closed ones are -1. */
void child_poll(const struct child *c, struct pollfd fds[2]);

/* When child_step must be called even without events, or INT64_MAX. */
int64_t child_due(const struct child *c);

/* The last non-empty line of standard error, without its end. */
struct str child_last_line(const struct child *c);

/*
 * Orphans. child_adopt makes this process the reaper of orphaned descendants,
 * like process 1; child_reap_others reaps those that ended and may only be
 * called while no child runs.
 */
void child_adopt(void);
void child_reap_others(void);

#endif
