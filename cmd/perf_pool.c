#include "perf_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/limits.h"
#include "common.h"
#include "progress.h"

#define LOOK_AGAIN (200 * NS_PER_MS)

/* One operand and a thread's result. */
struct perf_job {
	struct digests digests;
	struct buf said; /* messages */
	bool done;
};

struct work {
	const struct perf_pool *pool;
	char *const *names;
	size_t count;
	size_t window; /* jobs that may start before the next one is taken */
	struct perf_job *jobs;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* something below changed */
	size_t begun;
	size_t done;
	size_t taken;
};

static size_t processors(void)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n > 0 ? (size_t)n : 1;
}

static void do_job(const struct work *work, size_t i)
{
	struct perf_job *job = &work->jobs[i];

	job->said = buf_new(LIMIT_LIST);
	messages_buffer(&job->said);
	perf_read(work->names[i], work->pool->plan, &job->digests);
	messages_buffer(NULL);
}

static void *work_on(void *shared)
{
	struct work *work = shared;

	pthread_mutex_lock(&work->lock);
	while (work->begun < work->count) {
		size_t i = work->begun;

		if (i >= work->taken + work->window) {
			pthread_cond_wait(&work->changed, &work->lock);
			continue;
		}
		work->begun++;
		pthread_mutex_unlock(&work->lock);
		do_job(work, i);
		pthread_mutex_lock(&work->lock);
		work->jobs[i].done = true;
		work->done++;
		pthread_cond_broadcast(&work->changed);
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

/* Wait for the job whose turn it is. */
static void await(struct work *work, size_t i, struct progress *progress)
{
	pthread_mutex_lock(&work->lock);
	while (!work->jobs[i].done) {
		int64_t until = clock_wall() + LOOK_AGAIN;
		const struct timespec at = {until / NS_PER_SECOND,
					    until % NS_PER_SECOND};

		pthread_cond_timedwait(&work->changed, &work->lock, &at);
		progress_show(progress, work->done);
	}
	progress_show(progress, work->done);
	pthread_mutex_unlock(&work->lock);
}

static void take(const struct perf_pool *pool, struct digests *digests)
{
	for (size_t i = 0; i < digests->n; i++)
		pool->take(pool->taker, digests->v[i]);
	digests_free(digests);
}

static void take_job(struct work *work, size_t i, struct progress *progress)
{
	struct perf_job *job = &work->jobs[i];

	await(work, i, progress);
	if (job->said.n > 0)
		progress_clear(progress);
	messages_flush(&job->said);
	buf_free(&job->said);
	take(work->pool, &job->digests);
	pthread_mutex_lock(&work->lock);
	work->taken++;
	pthread_cond_broadcast(&work->changed);
	pthread_mutex_unlock(&work->lock);
}

/* Start up to n threads; returns how many started. */
static size_t start(struct work *work, pthread_t *threads, size_t n)
{
	size_t started = 0;
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstacksize(&attr, STACK_NEEDED) != 0)
		die_memory();
	while (started < n &&
	       pthread_create(&threads[started], &attr, work_on, work) == 0)
		started++;
	pthread_attr_destroy(&attr);
	return started;
}

static void run_threads(struct work *work, size_t jobs,
			struct progress *progress)
{
	pthread_t *threads = calloc(jobs, sizeof(*threads));
	size_t started;

	work->jobs = calloc(work->count, sizeof(*work->jobs));
	if (threads == NULL || work->jobs == NULL)
		die_memory();
	started = start(work, threads, jobs);
	if (started == 0)
		die(STATUS_IO, "cannot start a thread; try -j 1");
	for (size_t i = 0; i < work->count; i++)
		take_job(work, i, progress);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(work->jobs);
	free(threads);
}

static void run_in_turn(struct work *work, struct progress *progress)
{
	for (size_t i = 0; i < work->count; i++) {
		struct digests digests = {0};

		perf_read(work->names[i], work->pool->plan, &digests);
		take(work->pool, &digests);
		progress_show(progress, i + 1);
	}
}

void perf_pool_run(const struct perf_pool *pool, size_t count,
		   char *const *names)
{
	static char *const only_stdin[] = {"-"};
	struct work work = {.pool = pool,
			    .names = count > 0 ? names : only_stdin,
			    .count = count > 0 ? count : 1,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER};
	struct progress progress = progress_begin(work.count, pool->progress);
	size_t jobs = pool->jobs > 0 ? pool->jobs : processors();

	if (jobs > work.count)
		jobs = work.count;
	/* Standard input is read only once. */
	for (size_t i = 0; i < work.count; i++)
		if (opt_is_stdin(work.names[i]))
			jobs = 1;
	work.window = 2 * jobs;
	if (jobs > 1)
		run_threads(&work, jobs, &progress);
	else
		run_in_turn(&work, &progress);
	progress_clear(&progress);
}
