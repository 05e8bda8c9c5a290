#include "span_attempt.h"

#include "base/limits.h"
#include "base/num.h"
#include "common.h"
#include "fmt/value/value_make.h"
#include "rollout/records.h"

/* The attempt of one sample. */
static int64_t highest_attempt(const struct records *records, struct str trace,
			       struct str sample)
{
	struct arena arena = arena_new(LIMIT_SAMPLE);
	struct value v = value_none();
	struct err err = {0};
	int64_t i, at, number;

	if (sample.n > 0)
		v = num_parse_int(sample, &number) ? value_int(number)
						   : value_str(sample);
	at = records_find(records, value_str(trace), v);
	i = 0;
	if (at >= 0 &&
	    records_sample(records, (size_t)at, &arena, &v, &err) == 0) {
		v = value_get(value_get(v, "trace"), "attempt");
		i = v.kind == VALUE_INT ? v.i : 0;
	}
	arena_free(&arena);
	return i;
}

int64_t span_attempt(const char *file, const char *ids, const char *samples)
{
	struct records *records = records_new();
	struct err err = {0};
	int64_t attempt = 0;

	if (records == NULL)
		die_memory();
	if (records_load_file(records, file, &err) == 0)
		while (records_index(records, &err) > 0)
			;
	for (bool more = true; more; more = *ids != '\0' || *samples != '\0') {
		struct str id = str_part(&ids);
		int64_t highest =
			highest_attempt(records, id, str_part(&samples));

		if (highest > attempt)
			attempt = highest;
	}
	records_free(records);
	return attempt;
}
