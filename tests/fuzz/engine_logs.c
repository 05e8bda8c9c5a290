/*
 * Any bytes as an engine's log, a zero byte, and a dump: the log joins the dump,
 * and the dump has as many rows and requests with it as without.
 */
#include <stdlib.h>

#include "../unit/bytes.h"
#include "rollout/engine_logs.h"
#include "rollout/perf.h"
#include "rollout/rollout.h"
#include "rollout/sample_trace.h"
#include "rollout/span.h"

struct counts {
	uint64_t samples, rows, requests;
};

static uint64_t requests_of(struct perf *perf)
{
	static const struct perf_wanted wanted;
	struct figures figures = figures_new();
	struct err err = {0};
	uint64_t n = 0;

	perf_figures(perf, &wanted, &figures, &err);
	if (figures.n > 0)
		n = (uint64_t)figures.v[0].value;
	figures_free(&figures);
	return n;
}

static void use(const struct sample *sample, struct perf *perf,
		struct counts *counts)
{
	struct arena arena = arena_new(SIZE_MAX);
	struct sample_trace trace;
	struct err err = {0};
	struct row row;

	counts->samples++;
	if (sample_trace_read(&trace, sample, &arena, &err) == 0) {
		counts->rows += span_build_read(sample, &trace, &row, &err) > 0;
		perf_add_requests(perf, NULL, sample, &trace, &err);
	}
	arena_free(&arena);
}

/* Read the dump to its end; join: the logs join it, else they see it. */
static struct counts read_dump(struct str bytes, struct engine_logs *logs,
			       bool join)
{
	struct input *input = input_of_bytes(bytes);
	struct perf *perf = perf_new();
	struct rollout *rollout = NULL;
	struct counts counts = {0};
	struct sample sample;
	struct err err = {0};
	int got = rollout_open(input, &rollout, &err) == 0;

	while (got != 0) {
		got = rollout_next(rollout, &sample, &err);
		if (got < 0 && !rollout_can_continue(rollout))
			break;
		if (got <= 0)
			continue;
		if (join)
			engine_logs_join(logs, &sample, &err);
		else
			engine_logs_see(logs, &sample, &err);
		use(&sample, perf, &counts);
	}
	counts.requests = requests_of(perf);
	perf_free(perf);
	rollout_close(rollout);
	input_close(input);
	return counts;
}

static void read_log(struct engine_logs *logs, struct str bytes)
{
	struct input *input = input_of_bytes(bytes);
	struct err err = {0};

	if (engine_logs_detect(input->head)) {
		engine_logs_begin(logs, input, "log", "worker", &err);
		while (engine_logs_next(logs, &err) != 0 &&
		       engine_logs_can_continue(logs))
			;
	}
	input_close(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str log = str_make((const char *)bytes, n);
	const char *zero = n == 0 ? NULL : memchr(bytes, '\0', n);
	struct str dump = log;
	struct engine_logs *logs = engine_logs_new();
	struct counts without, with;
	struct err err = {0};

	if (zero != NULL) {
		log.n = (size_t)(zero - log.p);
		dump = str_make(zero + 1, n - log.n - 1);
	}
	read_log(logs, log);
	without = read_dump(dump, logs, false);
	engine_logs_settle(logs, &err);
	with = read_dump(dump, logs, true);
	if (without.samples != with.samples || without.rows != with.rows ||
	    without.requests != with.requests ||
	    engine_logs_unused(logs) > engine_logs_records(logs))
		abort();
	engine_logs_free(logs);
	return 0;
}
