#include "rollout/sift.h"

#include "base/array.h"
#include "fmt/value/value_python.h"
#include "rollout/sample.h"

/* Keys that only a sample has. */
static const char *const own_fields[] = {"response_length",
					 "non_generation_time", "loss_mask",
					 "group_index", "rollout_log_probs"};
/* Keys that other things have as well. */
static const char *const common_fields[] = {"index",	"prompt", "tokens",
					    "response", "reward", "label",
					    "status",	"source", "metadata"};

static bool has_any(struct value dict, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (value_get(dict, keys[i]).kind != VALUE_ABSENT)
			return true;
	return false;
}

/* {"trace_id": ..., "events": [...]} on a line of its own */
static bool is_carrier(struct value dict)
{
	struct value events = value_get(dict, "events");
	double ts;

	if (events.kind != VALUE_LIST && events.kind != VALUE_TUPLE)
		return false;
	if (has_any(dict, (const char *const[]){"trace_id", "sample_id"}, 2))
		return true;
	for (uint32_t i = 0; i < events.items->n; i++)
		if (value_to_float(value_get(events.items->v[i], "ts"), &ts))
			return true;
	return false;
}

/* Does it have any times? */
static bool is_traced(struct value dict)
{
	return value_get(dict, "trace").kind == VALUE_DICT ||
	       value_get(dict, "meta_info").kind == VALUE_DICT ||
	       is_carrier(dict);
}

static bool is_sample(struct value dict, bool in_samples)
{
	if (dict.kind != VALUE_DICT)
		return false;
	if (is_traced(dict))
		return true;
	if (not_dump_foreign(dict) != NULL)
		return false;
	return value_get(dict, "trace").kind == VALUE_NONE ||
	       has_any(dict, own_fields, ARRAY_SIZE(own_fields)) ||
	       (in_samples &&
		has_any(dict, common_fields, ARRAY_SIZE(common_fields)));
}

enum { PARTS = 3 };

/* One of the dicts that may hold fields; see sample_fields. An instance of a
 * subclass of dict has its own items, too. */
static struct value part_of(struct value v, size_t part)
{
	if (part == 2)
		return v.kind == VALUE_OBJECT
			       ? v.object->dict
			       : (struct value){.kind = VALUE_ABSENT};
	return sample_fields(v, part);
}

/* Has it any field of a sample, or none at all? Elements that have not are
 * counted. */
static bool is_like_sample(struct value dict)
{
	return dict.kind == VALUE_DICT &&
	       (dict.items->n == 0 || is_traced(dict) || is_sample(dict, true));
}

static bool has_part(struct value v, bool is_part(struct value dict))
{
	for (size_t i = 0; i < PARTS; i++)
		if (is_part(part_of(v, i)))
			return true;
	return false;
}

bool sift_take(struct sift *sift, struct value v, bool in_samples)
{
	sift->elements++;
	sift->others += !has_part(v, is_like_sample);
	sift->lists += v.kind == VALUE_LIST || v.kind == VALUE_TUPLE ||
		       v.kind == VALUE_SKIPPED;
	if (sift->any && sift->traced)
		return true;
	for (size_t i = 0; i < PARTS; i++) {
		struct value dict = part_of(v, i);

		sift->any |= is_sample(dict, in_samples);
		sift->traced |= is_traced(dict);
	}
	if (!sift->any && sift->elements == 1)
		not_dump_by_value(v, sift->json, sift->first);
	return sift->any;
}

bool sift_is_whole(struct value v, char before)
{
	return is_sample(v, false) && (before != ':' || !is_carrier(v));
}
