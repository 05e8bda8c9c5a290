/*
 * Any bytes as a dump, of which remedies are estimated: an estimate lies in its
 * range, what is written is strict JSON, and a second run says the same.
 */
#include <math.h>
#include <stdlib.h>

#include "../unit/bytes.h"
#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "rollout/digest.h"
#include "rollout/rollout.h"
#include "sink/perf/digest_sink.h"

#include "fuzz.h"

static void check_remedy(const struct what_if_remedy *remedy)
{
	if (remedy->refused[0] != '\0')
		return;
	require(!isnan(remedy->wall) && remedy->wall >= 0);
	require(isnan(remedy->low) || remedy->low <= remedy->high);
}

static void write_estimate(struct input *input, struct buf *text)
{
	static const struct what_if_plan what_if = {0};
	static const double percentiles[] = {50};
	const struct digest_plan plan = {.perf = {.percentiles = percentiles,
						  .percentile_count = 1,
						  .rollout_time = 1,
						  .rollout_gpus = 1},
					 .what_if = &what_if};
	struct rollout *rollout = NULL;
	struct digest *digest;
	struct digest_sink *sink;
	struct sample sample;
	struct err err = {0};
	struct out out;

	require(out_open_buf(&out, text, &err) == 0);
	sink = digest_json_new(&out, &err);
	digest = digest_new(&plan, "x.pt", &err);
	require(sink != NULL && digest != NULL);
	if (rollout_open(input, &rollout, &err) == 0) {
		while (rollout_next(rollout, &sample, &err) == 1)
			digest_add(digest, &sample, &err);
		if (digest_end(digest, rollout_id(rollout), &err) == 0) {
			for (size_t i = 0; i < digest->what_if->remedy_count;
			     i++)
				check_remedy(&digest->what_if->remedies[i]);
			require(sink->put(sink, digest, &err) == 0);
		}
	}
	rollout_close(rollout);
	sink->free(sink);
	digest_free(digest);
	require(out_close_buf(&out, text, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input *input = input_of_bytes(str_make((const char *)bytes, n));
	struct buf first = buf_new(256 * MIB), second = buf_new(256 * MIB);
	struct arena arena = arena_new(256 * MIB);
	struct err err = {0};
	struct value v;

	write_estimate(input, &first);
	require(input_seek(input, 0, &err) == 0);
	write_estimate(input, &second);
	require(str_eq(buf_str(&first), buf_str(&second)));
	if (first.n > 0)
		require(json_parse(buf_str(&first), &arena, &v, &err) == 0);
	input_close(input);
	buf_free(&first);
	buf_free(&second);
	arena_free(&arena);
	return 0;
}
