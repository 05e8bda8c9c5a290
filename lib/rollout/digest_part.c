#include "rollout/digest_part.h"

#include "base/array.h"
#include "fmt/json/json_text.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_text.h"
#include "rollout/sample_trace.h"
#include "rollout/span_attrs.h"

void digest_part_free(struct digest_part *part)
{
	perf_free(part->perf);
	figures_free(&part->figures);
	breakdown_free(part->breakdown);
	stragglers_free(part->stragglers);
}

int digest_part_add(struct digest *digest, struct err *err)
{
	const struct digest_plan *plan = digest->plan;
	struct digest_part part = {.perf = perf_new(),
				   .figures = figures_new()};

	if (plan->breakdown)
		part.breakdown = breakdown_new(&digest->names);
	if (plan->stragglers > 0)
		part.stragglers = stragglers_new((size_t)plan->stragglers,
						 &digest->names);
	if (part.perf == NULL || (plan->breakdown && part.breakdown == NULL) ||
	    (plan->stragglers > 0 && part.stragglers == NULL) ||
	    !ARRAY_GROW(digest->parts, digest->count, digest->cap)) {
		digest_part_free(&part);
		return err_memory(err);
	}
	digest->parts[digest->count++] = part;
	return 0;
}

/* The last part has a new value. If two values print alike, 1 and "1", the
 * later one is named by its JSON. */
static int name_part(struct digest *digest, struct digest_part *part,
		     struct value v, struct err *err)
{
	struct str name;
	uint32_t number;

	part->group = intern_text(&digest->groups, (uint32_t)digest->count - 1);
	buf_clear(&digest->scratch);
	if (!str_is(part->group, "null"))
		value_put_str(&digest->scratch, v);
	if (digest->scratch.failed)
		return buf_error(&digest->scratch, err);
	name = buf_str(&digest->scratch);
	if (intern_find(&digest->group_names, name) != INTERN_FAILED)
		name = part->group;
	number = intern_add(&digest->group_names, name);
	if (number == INTERN_FAILED)
		return intern_error(&digest->group_names, err);
	part->group_name = intern_text(&digest->group_names, number);
	return 0;
}

/* The part of a value; NULL with err filled if out of memory. */
static struct digest_part *part_of(struct digest *digest, struct value v,
				   struct err *err)
{
	uint32_t number;

	buf_clear(&digest->scratch);
	if (json_text(&digest->scratch, v, err) < 0)
		return NULL;
	number = intern_add(&digest->groups, buf_str(&digest->scratch));
	if (number == INTERN_FAILED) {
		intern_error(&digest->groups, err);
		return NULL;
	}
	if (number == digest->count &&
	    (digest_part_add(digest, err) < 0 ||
	     name_part(digest, &digest->parts[number], v, err) < 0))
		return NULL;
	return &digest->parts[number];
}

/* Splits the requests of one sample by their own attributes. */
struct request_split {
	struct perf_split base; /* first: the functions cast back */
	struct digest *digest;
	const struct sample *sample;
	bool known;  /* a request had a value: */
	size_t part; /* value of the last one */
};

/* A request's value. A worker's text lives in the digest's arena. */
static struct value value_of(struct digest *digest, const struct sample *sample,
			     struct value end_attrs, struct value start_attrs,
			     struct err *err)
{
	struct buf *text = &digest->workers.scratch;
	struct str kept;

	if (digest->by != BY_WORKER)
		return group_by_request(digest->plan->by, sample, end_attrs,
					start_attrs, &digest->by_found);
	if (!worker_of(text, end_attrs, start_attrs, sample))
		return value_none();
	digest->by_found = true;
	kept = arena_str(&digest->arena, buf_str(text));
	if (!text->failed && kept.p != NULL)
		return value_str(kept);
	if (text->failed)
		buf_error(text, err);
	else
		arena_error(&digest->arena, err);
	return (struct value){.kind = VALUE_ABSENT};
}

static struct perf *perf_of(struct perf_split *base, struct value end_attrs,
			    struct value start_attrs, struct err *err)
{
	struct request_split *split = (struct request_split *)base;
	struct digest *digest = split->digest;
	struct digest_part *part;
	struct value v =
		value_of(digest, split->sample, end_attrs, start_attrs, err);

	if (!digest->by_found)
		group_by_see_attributes(&digest->there, end_attrs);
	if (!digest->by_found)
		group_by_see_attributes(&digest->there, start_attrs);
	part = v.kind == VALUE_ABSENT ? NULL : part_of(digest, v, err);
	if (part == NULL)
		return NULL;
	if (v.kind != VALUE_NONE) {
		split->known = true;
		split->part = (size_t)(part - digest->parts);
	}
	return part->perf;
}

/* Add the sample when its requests are split: it belongs to its last one.
 * Returns its part, NULL with err filled. */
static struct digest_part *split_sample(struct digest *digest,
					const struct sample *sample,
					const struct sample_trace *trace,
					struct err *err)
{
	struct request_split split = {
		.base = {perf_of}, .digest = digest, .sample = sample};
	struct value none = {.kind = VALUE_ABSENT};

	if (perf_add_requests(NULL, &split.base, sample, trace, err) < 0)
		return NULL;
	if (split.known)
		return &digest->parts[split.part];
	none = value_of(digest, sample, none, none, err);
	return none.kind == VALUE_ABSENT ? NULL : part_of(digest, none, err);
}

/* Add the sample by its own value, or with all others. */
static struct digest_part *put_sample(struct digest *digest,
				      const struct sample *sample,
				      const struct sample_trace *trace,
				      const struct row *row, struct err *err)
{
	struct digest_part *part = digest->parts;

	if (digest->plan->by != NULL)
		part = part_of(digest,
			       group_by_sample(digest->by, sample, row,
					       &digest->by_found),
			       err);
	if (part == NULL ||
	    perf_add_requests(part->perf, NULL, sample, trace, err) < 0)
		return NULL;
	return part;
}

bool digest_splits(const struct digest *digest)
{
	return digest->plan->by != NULL && group_by_requests(digest->by);
}

struct digest_part *digest_place(struct digest *digest,
				 const struct sample *sample,
				 const struct sample_trace *trace,
				 const struct row *row, struct err *err)
{
	return digest_splits(digest)
		       ? split_sample(digest, sample, trace, err)
		       : put_sample(digest, sample, trace, row, err);
}
