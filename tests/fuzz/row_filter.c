/* The terms of --sample: any text is read or refused, and tests a row. */
#include <stdint.h>
#include <stdlib.h>

#include "rollout/row_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char name[] = "tool_call";
	struct item items[] = {
		{.name = {.kind = VALUE_STR, .n = 9, .p = name},
		 .attempt = {.kind = VALUE_INT, .i = 2},
		 .display_end = 1},
	};
	struct row row = {
		.sample_index = {.kind = VALUE_INT, .i = 417},
		.reward = {.kind = VALUE_FLOAT, .f = 0.5},
		.item_count = 1,
		.items = items,
		.end = 1,
	};
	struct err err = {0};
	struct row_filter *f =
		row_filter_new(str_make((const char *)data, size), &err);

	if (f == NULL && (err.code == 0 || err.text[0] == '\0'))
		abort();
	if (f != NULL)
		row_filter_accepts(f, &row, NULL);
	row_filter_free(f);
	return 0;
}
