/*
 * Any bytes as a file of trace records: every record that is found is in one
 * sample, once, and a torn one takes none of the others with it.
 */
#include <stdlib.h>

#include "../unit/bytes.h"
#include "rollout/mix.h"
#include "rollout/record_line.h"

static size_t events_of(const struct records *records)
{
	struct arena arena = arena_new(SIZE_MAX);
	size_t events = 0;

	for (size_t i = 0; i < records_count(records); i++) {
		struct err err = {0};
		struct value sample, trace;

		arena_reset(&arena);
		if (records_sample(records, i, &arena, &sample, &err) != 0)
			abort();
		trace = value_get(sample, "trace");
		events += value_get(trace, "events").items->n;
	}
	arena_free(&arena);
	return events;
}

/* How many records the bytes have; then all of them as samples of a mix. */
static size_t count(struct str bytes)
{
	struct records *records = records_new();
	struct input *input = input_of_bytes(bytes);
	struct sample sample;
	struct err err = {0};
	struct mix mix;
	size_t n;

	if (records == NULL || records_load(records, input, &err) < 0)
		abort();
	while (records_index(records, &err) != 0)
		;
	n = events_of(records);
	mix = mix_new(records);
	sample_from(&sample, (struct value){.kind = VALUE_NONE});
	mix_add(&mix, &sample, &err);
	while (mix_next(&mix, &sample, &err) == 1)
		;
	mix_free(&mix);
	input_close(input);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char whole[] =
		"{\"type\":\"event\",\"name\":\"x\",\"ts\":1,"
		"\"trace_id\":\"fuzz\"}\n";
	size_t more = sizeof(whole) - 1;
	char *longer = malloc(n + more);

	if (longer == NULL)
		abort();
	memcpy(longer, bytes, n);
	memcpy(longer + n, whole, more);
	records_detect(str_make(longer, n));
	/* What is appended is read, whatever the file ends in. */
	if (count(str_make(longer, n + more)) == 0)
		abort();
	free(longer);
	return 0;
}
