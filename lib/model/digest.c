#include "model/digest.h"

#include <stdlib.h>

#include "base/limits.h"
#include "fmt/json_text.h"
#include "fmt/value_text.h"
#include "model/trace.h"

static int add_part(struct digest *digest, struct err *err)
{
	struct digest_part *parts =
		realloc(digest->parts, (digest->count + 1) * sizeof(*parts));

	if (parts == NULL)
		return err_memory(err);
	digest->parts = parts;
	parts[digest->count] = (struct digest_part){.perf = perf_new()};
	if (parts[digest->count].perf == NULL)
		return err_memory(err);
	digest->count++;
	return 0;
}

struct digest *digest_new(const struct digest_plan *plan, const char *dump,
			  struct err *err)
{
	struct digest *digest = calloc(1, sizeof(*digest));

	if (digest == NULL) {
		err_memory(err);
		return NULL;
	}
	digest->plan = plan;
	digest->dump = dump;
	digest->rollout_id = str_of("null");
	digest->rollout_name = str_of("");
	digest->arena = arena_new(LIMIT_SAMPLE);
	digest->text = arena_new(LIMIT_KEPT);
	if (add_part(digest, err) == 0)
		return digest;
	digest_free(digest);
	return NULL;
}

void digest_free(struct digest *digest)
{
	if (digest == NULL)
		return;
	for (size_t i = 0; i < digest->count; i++)
		perf_free(digest->parts[i].perf);
	free(digest->parts);
	arena_free(&digest->arena);
	arena_free(&digest->text);
	free(digest);
}

int digest_add(struct digest *digest, const struct sample *sample,
	       struct err *err)
{
	struct trace trace;

	arena_reset(&digest->arena);
	if (trace_read(&trace, sample, &digest->arena, err) < 0)
		return err->code;
	return perf_add(digest->parts[0].perf, sample, &trace, err);
}

int digest_end(struct digest *digest, struct value rollout_id, struct err *err)
{
	struct buf text = buf_new(LIMIT_STRING);
	int code = json_text(&text, rollout_id, err);

	digest->rollout_id = arena_str(&digest->text, buf_str(&text));
	buf_clear(&text);
	if (rollout_id.kind > VALUE_NONE)
		value_put_str(&text, rollout_id);
	digest->rollout_name = arena_str(&digest->text, buf_str(&text));
	if (text.failed || digest->rollout_id.p == NULL ||
	    digest->rollout_name.p == NULL)
		code = err_memory(err);
	buf_free(&text);
	return code;
}
