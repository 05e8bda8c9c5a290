#include "sink/profile/profile_words.h"

#include <math.h>

#include "base/limits.h"
#include "profile/groups.h"

#include "check.h"

/* 40 ms busy of 100 ms; of the rest, 20 ms for each cause. */
static struct device_summary device(void)
{
	struct device_summary d = {.end = 100000000,
				   .busy = 40000000,
				   .early = 2,
				   .overlap = 1500};

	for (int cause = 0; cause < GAP_CAUSES; cause++)
		d.causes[cause].time = 20000000;
	return d;
}

static void check_put(const struct trace_verdict *v,
		      const struct profile_summary *s,
		      const struct profile_group *group, const char *want)
{
	struct buf b = buf_new(MIB);

	profile_put_verdict(&b, v, s, group);
	CHECK_STR(buf_str(&b), want);
	buf_free(&b);
}

static void check_device(enum profile_verdict_kind kind, const char *want)
{
	struct profile_summary s = {0};
	struct device_summary d = device();
	struct trace_verdict v = {
		.kind = kind, .device = &d, .share = 0.25, .batch = 1.5};

	check_put(&v, &s, NULL, want);
}

static void test_idle(void)
{
	check_case("why a GPU is idle, for how long, and what to do");
	check_device(VERDICT_HOST_BOUND,
		     "host-bound: the GPU was idle 60% of 100 ms, 20.0 ms of "
		     "it while the launching thread did something else: "
		     "Python, the scheduler, or sleep");
	check_device(VERDICT_SYNC_BOUND,
		     "sync-bound: the GPU was idle 60% of 100 ms, 20.0 ms of "
		     "it while the host waited for the GPU; remove "
		     "synchronizations and pageable copies");
	check_device(VERDICT_HOST_COLLECTIVE_BOUND,
		     "host-collective-bound: the GPU was idle 60% of 100 ms, "
		     "20.0 ms of it while the host was in a gloo or MPI "
		     "collective");
	check_device(VERDICT_DEPENDENCY_BOUND,
		     "dependency-bound: the GPU was idle 60% of 100 ms, "
		     "20.0 ms of it although work was submitted: it waited "
		     "for another stream or a dependency");
}

static void test_launches(void)
{
	struct profile_summary s = {0};
	struct device_summary d = device();
	struct trace_verdict v = {.kind = VERDICT_LAUNCH_BOUND, .device = &d};

	check_case("the launches of a trace, if it has any");
	check_put(&v, &s, NULL,
		  "launch-bound: the GPU was idle 60% of 100 ms, 20.0 ms of it "
		  "while the host issued work; use CUDA graphs or fewer "
		  "kernels");
	s.host.classes[CALL_LAUNCH] = (struct tally){.count = 4, .time = 28000};
	check_put(&v, &s, NULL,
		  "launch-bound: the GPU was idle 60% of 100 ms, 20.0 ms of it "
		  "while the host issued work (4 launches of 7.00 \302\265s "
		  "each); use CUDA graphs or fewer kernels");
}

static void test_busy(void)
{
	check_case("what takes the time of a busy GPU");
	check_device(VERDICT_SUSPECT_TIMES,
		     "suspect-times: GPU times contradict themselves (2 events "
		     "begin before their call, overlap 1.50 \302\265s): do not "
		     "trust the figures below");
	check_device(VERDICT_RANK_WAIT,
		     "rank-wait: waited for other ranks 25% of the time");
	check_device(VERDICT_START_SKEW,
		     "start-skew: waited 25% of the time in the first "
		     "collective: the profilers did not start together");
	check_device(VERDICT_COMMUNICATION_BOUND,
		     "communication-bound: exposed communication took 25% of "
		     "the time");
	check_device(VERDICT_COPY_BOUND,
		     "copy-bound: exposed copies took 25% of the time; pin "
		     "memory, or overlap them");
	check_device(VERDICT_MEMORY_BOUND,
		     "memory-bound: decode steps of batch 1.5 read all weights "
		     "for few tokens; a larger batch costs little more");
	check_device(VERDICT_GPU_BOUND,
		     "gpu-bound: the GPU was busy 25% of 100 ms");
}

static void test_trace(void)
{
	struct profile_trace trace = {.truncated = true, .damaged = 3};
	struct profile_summary s = {.trace = &trace,
				    .host = {.graph_launches = 9,
					     .graph_empty = 2}};
	struct trace_verdict v = {.kind = VERDICT_INCOMPLETE};

	check_case("what a trace lacks");
	check_put(&v, &s, NULL, "incomplete: the trace is truncated");
	trace.truncated = false;
	check_put(&v, &s, NULL, "incomplete: 3 damaged events skipped");
	trace.damaged = 1;
	check_put(&v, &s, NULL, "incomplete: 1 damaged event skipped");
	trace.damaged = 0;
	check_put(&v, &s, NULL,
		  "incomplete: 2 of 9 graph launches have no GPU events");
	v.kind = VERDICT_NO_GPU;
	check_put(&v, &s, NULL, "no-gpu: the trace has no GPU events");
}

static void test_group(void)
{
	struct group_member members[] = {
		{.rank = 4, .last = 2, .caused = 5000000000},
		{.rank = PROFILE_NONE, .last = 1, .caused = 999}};
	struct profile_group group = {.members = members, .n = 2, .match_n = 4};
	struct trace_verdict v = {.kind = VERDICT_STRAGGLER, .waited = 0.0321};

	check_case("a rank that others wait for, or that computes more");
	check_put(&v, NULL, &group,
		  "straggler: ranks waited for each other 3.2% of the time; "
		  "rank 4 came last 2 of 3 times and cost the others 5.00 s");
	v.member = 1;
	group.match_n = 2;
	check_put(&v, NULL, &group,
		  "straggler: ranks waited for each other 3.2% of the time; "
		  "member 1 came last 1 of 1 time and cost the others 999 ns");
	v.kind = VERDICT_UNEVEN_WORK;
	v.ratio = 1.25;
	check_put(&v, NULL, &group,
		  "uneven-work: member 1 computed 1.25 times as long as the "
		  "least busy rank");
}

static void check_time(double ns, const char *want)
{
	struct buf b = buf_new(MIB);

	profile_put_time(&b, ns);
	CHECK_STR(buf_str(&b), want);
	buf_free(&b);
}

int main(void)
{
	check_case("a time has three digits and the unit that suits it");
	check_time((double)NAN, "-");
	check_time(0, "0.00 ms");
	check_time(7, "7.00 ns");
	check_time(-2500, "-2.50 \302\265s");
	check_time(99940000, "99.9 ms");
	check_time(123400000000, "123 s");
	test_idle();
	test_launches();
	test_busy();
	test_trace();
	test_group();
	return check_done();
}
