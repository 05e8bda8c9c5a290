/* profile/profile_trace: figures are the same when all records are in files
 * as when none are, of a trace in runs, on several threads and GPUs. */
#include "base/limits.h"
#include "check.h"
#include "sink/profile/profile_report.h"

enum { EVENTS = 40000 };

struct whole_text {
	struct byte_source source;
	struct str left;
};

static int next_block(struct byte_source *source, struct str *block,
		      struct err *err)
{
	struct whole_text *text = (struct whole_text *)source;

	(void)err;
	*block = text->left;
	text->left = str_make("", 0);
	return block->n > 0;
}

static void put_event(struct buf *b, const char *category, const char *name,
		      int at, int dur, const char *where, int correlation)
{
	buf_printf(b,
		   ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"ts\":%d."
		   "%03d,\"dur\":%d.5,%s,\"args\":{\"correlation\":%d}}",
		   category, name, at, at % 1000, dur, where, correlation);
}

/* The second half of the time comes first, and the GPUs before their calls. */
static void put_trace(struct buf *b)
{
	static const char *const gpus[] = {"\"pid\":0,\"tid\":7",
					   "\"pid\":1,\"tid\":20"};
	static const char *const threads[] = {"\"pid\":9,\"tid\":9",
					      "\"pid\":9,\"tid\":10"};
	static const char *const kernels[] = {"gemm", "ncclAllReduce", "silu"};

	buf_puts(b, "[{}");
	for (int i = 0; i < EVENTS; i++) {
		int n = (i + EVENTS / 2) % EVENTS, at = 50 * n;

		put_event(b, i % 50 == 0 ? "gpu_memcpy" : "kernel",
			  kernels[i % 3], at + 20, n % 7 * 9, gpus[n % 2], n);
		put_event(b, "cpu_op", "aten::mm", at, 19, threads[n % 2], 0);
		put_event(b, "cuda_runtime",
			  n % 9 == 0 ? "cudaStreamSynchronize"
				     : "cudaLaunchKernel",
			  at + 2, n % 11, threads[n % 2], n);
		if (n % 100 == 0)
			put_event(b, "user_annotation", "step[DECODE bs=4]", at,
				  4900, threads[0], 0);
		put_event(b, "python_function", i % 2 == 0 ? "f" : "g", at, 15,
			  threads[n % 2], 0);
	}
	buf_puts(b, "]\n");
}

static void put_summary(struct buf *json, struct str text, size_t in_memory)
{
	struct whole_text whole = {{.next = next_block}, text};
	struct err err = {0};
	struct profile_trace *trace =
		profile_trace_read("t.json", &whole.source, in_memory, &err);
	struct profile_summary *s = NULL;
	struct profile_report report = {
		.traces = &s, .n = 1, .top = 5, .gaps = 5};
	struct out out;

	CHECK(trace != NULL);
	if (trace == NULL)
		return;
	CHECK_INT(trace->spill.files > 4, in_memory == 0);
	s = profile_summarise(trace, 5, &err);
	CHECK(s != NULL);
	if (s == NULL)
		return;
	CHECK_INT(out_open_buf(&out, json, &err), 0);
	CHECK_INT(profile_put_json(&out, &report, &err), 0);
	CHECK_INT(out_close_buf(&out, json, &err), 0);
	profile_summary_free(s);
}

int main(void)
{
	struct buf text = buf_new(64 * MIB);
	struct buf memory = buf_new(MIB), files = buf_new(MIB);

	put_trace(&text);
	check_case("records in files give the figures of those in memory");
	put_summary(&memory, buf_str(&text), 64 * MIB);
	put_summary(&files, buf_str(&text), 0);
	CHECK(memory.n > 1000);
	CHECK(str_eq(buf_str(&memory), buf_str(&files)));
	buf_free(&text);
	buf_free(&memory);
	buf_free(&files);
	return check_done();
}
