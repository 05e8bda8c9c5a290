#include "profile/gpu_lanes.h"

#include "base/limits.h"
#include "check.h"

/* A GPU that is busy from 1.0 s to 1.5 s by two kernels that overlap, then
 * reduces for 0.25 s; two steps. Times are µs since a base of 100 s. */
static const char text[] =
	"{\"baseTimeNanoseconds\":100000000000,\"traceEvents\":["
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":3,\"tid\":7,"
	"\"ts\":1000000.000,\"dur\":300000.000,\"args\":{\"device\":3,"
	"\"stream\":7,\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\","
	"\"pid\":3,\"tid\":8,\"ts\":1750000.000,\"dur\":250000.000,"
	"\"args\":{\"device\":3,\"stream\":8,\"correlation\":3}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":3,\"tid\":9,"
	"\"ts\":1200000.000,\"dur\":300000.000,\"args\":{\"device\":3,"
	"\"stream\":9,\"correlation\":2}},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":"
	"\"step[DECODE bs=8]\",\"pid\":1,\"tid\":1,\"ts\":1500000.000,"
	"\"dur\":400000.000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":"
	"\"step[EXTEND bs=1 toks=9]\",\"pid\":1,\"tid\":1,\"ts\":900000.000,"
	"\"dur\":500000.000}]}";

static struct profile_trace *trace;

static double sum(const uint16_t *bins)
{
	double all = 0;

	for (int i = 0; i < GPU_BINS; i++)
		all += bins[i];
	return all / GPU_WHOLE / GPU_BINS;
}

static bool is_near(double a, double b)
{
	return a - b < 1e-3 && b - a < 1e-3;
}

static void check_whole(void)
{
	struct gpu_lanes l = gpu_lanes_new();
	struct err err;
	const struct gpu_profile *p;

	check_case("busy time is a union, and collectives are part of it");
	CHECK_INT(gpu_lanes_add(&l, trace, 0, INT64_C(200000000000), &err), 1);
	p = &l.v[0];
	CHECK_INT((int64_t)p->n, 1);
	CHECK_STR(p->lanes[0].device, "3");
	CHECK_INT(p->lanes[0].from, INT64_C(101000000000));
	CHECK_INT(p->lanes[0].to, INT64_C(102000000000));
	CHECK(is_near(sum(p->lanes[0].busy), 0.75));
	CHECK(is_near(sum(p->lanes[0].collective), 0.25));
	CHECK_INT(p->lanes[0].busy[GPU_BINS / 4], GPU_WHOLE);
	CHECK_INT(p->lanes[0].busy[GPU_BINS * 5 / 8], 0);
	CHECK_INT(p->lanes[0].collective[GPU_BINS - 1], GPU_WHOLE);
	check_case("steps come in order");
	CHECK_INT((int64_t)p->steps_n, 2);
	CHECK_STR(p->steps[0].name, "step[EXTEND bs=1 toks=9]");
	CHECK_INT(p->steps[0].start, INT64_C(100900000000));
	CHECK_INT(p->steps[1].end, INT64_C(101900000000));
	CHECK_INT(p->rank, 5);
	gpu_lanes_free(&l);
}

static void check_window(void)
{
	struct gpu_lanes l = gpu_lanes_new();
	struct err err;

	check_case("what is outside of the window is cut off");
	CHECK_INT(gpu_lanes_add(&l, trace, INT64_C(101250000000),
				INT64_C(101350000000), &err),
		  1);
	CHECK_INT(l.v[0].lanes[0].from, INT64_C(101250000000));
	CHECK_INT(l.v[0].lanes[0].to, INT64_C(101350000000));
	CHECK(is_near(sum(l.v[0].lanes[0].busy), 1));
	CHECK_INT((int64_t)l.v[0].steps_n, 1);
	check_case("a profile of another time adds nothing");
	CHECK_INT(gpu_lanes_add(&l, trace, 0, INT64_C(1000000000), &err), 0);
	CHECK_INT((int64_t)l.n, 1);
	gpu_lanes_free(&l);
}

int main(void)
{
	struct text_source source = text_source_of(str_of(text));
	struct err err;

	trace = profile_trace_read("dir/1-TP-5.trace.json", &source.source,
				   64 * MIB, &err);
	check_case("the trace is read");
	CHECK(trace != NULL);
	if (trace != NULL) {
		check_whole();
		check_window();
	}
	profile_trace_free(trace);
	return check_done();
}
