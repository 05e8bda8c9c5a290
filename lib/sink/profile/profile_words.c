#include "sink/profile/profile_words.h"

#include <inttypes.h>
#include <math.h>

void profile_put_time(struct buf *b, double ns)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\302\265s"}, {1, "ns"}};
	size_t i = 0;
	double v;

	if (isnan(ns)) {
		buf_puts(b, "-");
		return;
	}
	while (i < 3 && fabs(ns) < units[i].unit)
		i++;
	if (ns == 0)
		i = 1;
	v = ns / units[i].unit;
	buf_printf(b,
		   fabs(v) < 9.995   ? "%.2f"
		   : fabs(v) < 99.95 ? "%.1f"
				     : "%.0f",
		   v);
	buf_printf(b, " %s", units[i].name);
}

static void put_share(struct buf *b, double share)
{
	buf_printf(b, 100 * share < 9.95 ? "%.1f%%" : "%.0f%%", 100 * share);
}

/* "the GPU was idle 38% of 100.6 ms" */
static void put_idle(struct buf *b, const struct device_summary *d,
		     enum gap_cause cause)
{
	buf_puts(b, ": the GPU was idle ");
	put_share(b, (double)device_idle(d) / (double)device_span(d));
	buf_puts(b, " of ");
	profile_put_time(b, (double)device_span(d));
	buf_puts(b, ", ");
	profile_put_time(b, (double)d->causes[cause].time);
	buf_puts(b, " of it ");
}

static void put_launches(struct buf *b, const struct profile_summary *s)
{
	const struct tally *t = &s->host.classes[CALL_LAUNCH];

	if (t->count == 0)
		return;
	buf_printf(b, " (%" PRIu64 " launch%s of ", t->count,
		   t->count == 1 ? "" : "es");
	profile_put_time(b, (double)t->time / (double)t->count);
	buf_puts(b, " each)");
}

static void put_device(struct buf *b, const struct trace_verdict *v,
		       const struct profile_summary *s)
{
	const struct device_summary *d = v->device;

	switch (v->kind) {
	case VERDICT_SUSPECT_TIMES:
		buf_printf(b,
			   ": GPU times contradict themselves (%" PRIu64
			   " events begin before their call, overlap ",
			   d->early);
		profile_put_time(b, (double)d->overlap);
		buf_puts(b, "): do not trust the figures below");
		break;
	case VERDICT_LAUNCH_BOUND:
		put_idle(b, d, GAP_LAUNCH);
		buf_puts(b, "while the host issued work");
		put_launches(b, s);
		buf_puts(b, "; use CUDA graphs or fewer kernels");
		break;
	case VERDICT_HOST_BOUND:
		put_idle(b, d, GAP_HOST);
		buf_puts(b, "while the launching thread did something else: "
			    "Python, the scheduler, or sleep");
		break;
	case VERDICT_SYNC_BOUND:
		put_idle(b, d, GAP_SYNC);
		buf_puts(b, "while the host waited for the GPU; remove "
			    "synchronizations and pageable copies");
		break;
	case VERDICT_HOST_COLLECTIVE_BOUND:
		put_idle(b, d, GAP_COLLECTIVE);
		buf_puts(b, "while the host was in a gloo or MPI collective");
		break;
	case VERDICT_DEPENDENCY_BOUND:
		put_idle(b, d, GAP_DEVICE);
		buf_puts(b, "although work was submitted: it waited for "
			    "another stream or a dependency");
		break;
	case VERDICT_RANK_WAIT:
		buf_puts(b, ": waited for other ranks ");
		put_share(b, v->share);
		buf_puts(b, " of the time");
		break;
	case VERDICT_START_SKEW:
		buf_puts(b, ": waited ");
		put_share(b, v->share);
		buf_puts(b, " of the time in the first collective: the "
			    "profilers did not start together");
		break;
	case VERDICT_COMMUNICATION_BOUND:
		buf_puts(b, ": exposed communication took ");
		put_share(b, v->share);
		buf_puts(b, " of the time");
		break;
	case VERDICT_COPY_BOUND:
		buf_puts(b, ": exposed copies took ");
		put_share(b, v->share);
		buf_puts(b, " of the time; pin memory, or overlap them");
		break;
	case VERDICT_MEMORY_BOUND:
		buf_printf(b,
			   ": decode steps of batch %.3g read all weights for "
			   "few tokens; a larger batch costs little more",
			   v->batch);
		break;
	case VERDICT_GPU_BOUND:
	case VERDICT_NOTHING_STANDS_OUT:
		if (isnan(v->share)) {
			buf_puts(b, ": its events took no time");
			break;
		}
		buf_puts(b, ": the GPU was busy ");
		put_share(b, v->share);
		buf_puts(b, " of ");
		profile_put_time(b, (double)device_span(d));
		break;
	default:
		break;
	}
}

static void put_incomplete(struct buf *b, const struct profile_summary *s)
{
	const struct host_summary *h = &s->host;

	if (s->trace->truncated)
		buf_puts(b, ": the trace is truncated");
	else if (s->trace->damaged > 0)
		buf_printf(b, ": %" PRIu64 " damaged event%s skipped",
			   s->trace->damaged, str_plural(s->trace->damaged));
	else
		buf_printf(b,
			   ": %" PRIu64 " of %" PRIu64
			   " graph launches have no GPU events",
			   h->graph_empty, h->graph_launches);
}

static void put_rank(struct buf *b, const struct profile_group *group,
		     uint32_t member)
{
	int64_t rank = group->members[member].rank;

	if (rank != PROFILE_NONE)
		buf_printf(b, "rank %" PRId64, rank);
	else
		buf_printf(b, "member %u", member);
}

static void put_group(struct buf *b, const struct trace_verdict *v,
		      const struct profile_group *group)
{
	const struct group_member *m = &group->members[v->member];

	buf_puts(b, ": ");
	if (v->kind == VERDICT_UNEVEN_WORK) {
		put_rank(b, group, v->member);
		buf_printf(b,
			   " computed %.3g times as long as the least busy "
			   "rank",
			   v->ratio);
		return;
	}
	buf_puts(b, "ranks waited for each other ");
	put_share(b, v->waited);
	buf_puts(b, " of the time; ");
	put_rank(b, group, v->member);
	buf_printf(b,
		   " came last %" PRIu64 " of %zu time%s and cost the others ",
		   m->last, group_counted(group),
		   str_plural(group_counted(group)));
	profile_put_time(b, (double)m->caused);
}

void profile_put_verdict(struct buf *b, const struct trace_verdict *v,
			 const struct profile_summary *s,
			 const struct profile_group *group)
{
	buf_puts(b, profile_verdict_names[v->kind]);
	if (group != NULL)
		put_group(b, v, group);
	else if (v->kind == VERDICT_INCOMPLETE)
		put_incomplete(b, s);
	else if (v->kind == VERDICT_NO_GPU)
		buf_puts(b, ": the trace has no GPU events");
	else
		put_device(b, v, s);
}
