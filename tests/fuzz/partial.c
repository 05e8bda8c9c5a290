/*
 * Any bytes as partials of obs-perfsum: what is read merges, and is written so
 * that it reads back as the same text.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/json/json_read.h"
#include "rollout/partial.h"
#include "sink/perf/partial_json.h"

#include "fuzz.h"

static const struct digest_plan plan = {.breakdown = true, .stragglers = 3};

static void write_to(struct buf *text, const struct partial *partial)
{
	struct err err = {0};
	struct out out;

	require(out_open_buf(&out, text, &err) == 0);
	require(partial_put_json(&out, partial, &err) == 0);
	require(out_close_buf(&out, text, &err) == 0);
}

/* What was written, read back and written again. */
static void check_again(struct str text)
{
	struct arena arena = arena_new(LIMIT_LIST);
	struct partial *partial = partial_new(&plan);
	struct buf again = buf_new(LIMIT_LIST);
	struct value object;
	struct err err = {0};

	require(partial != NULL);
	require(json_parse(text, &arena, &object, &err) == 0);
	require(partial_read(partial, object, &err) == 0);
	write_to(&again, partial);
	require(str_eq(buf_str(&again), text));
	partial_free(partial);
	buf_free(&again);
	arena_free(&arena);
}

static void check_partial(struct value object)
{
	struct partial *one = partial_new(&plan);
	struct partial *all = partial_new(&plan);
	struct buf text = buf_new(LIMIT_LIST);
	struct err err = {0};
	struct digest *digest;

	require(one != NULL && all != NULL);
	if (partial_read(one, object, &err) == 0) {
		require(partial_merge(all, one, &err) == 0);
		write_to(&text, all);
		check_again(buf_str(&text));
		digest = partial_digest(all, &err);
		require(digest != NULL);
		digest_free(digest);
	} else {
		require(err.text[0] != '\0');
	}
	partial_free(one);
	partial_free(all);
	buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	struct arena arena = arena_new(LIMIT_LIST);
	struct value object;
	struct err err = {0};

	partial_detect(text);
	if (json_parse(text, &arena, &object, &err) == 0)
		check_partial(object);
	arena_free(&arena);
	return 0;
}
