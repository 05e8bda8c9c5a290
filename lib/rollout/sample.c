#include "rollout/sample.h"

#include <stddef.h>

#include "base/array.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_records.h"

/* The keys of a sample and where they go. */
static const struct field {
	struct str key;
	size_t offset;
} fields[] = {
	{STR("index"), offsetof(struct sample, index)},
	{STR("group_index"), offsetof(struct sample, group_index)},
	{STR("source"), offsetof(struct sample, source)},
	{STR("status"), offsetof(struct sample, status)},
	{STR("label"), offsetof(struct sample, label)},
	{STR("reward"), offsetof(struct sample, reward)},
	{STR("metadata"), offsetof(struct sample, metadata)},
	{STR("trace"), offsetof(struct sample, trace)},
	{STR("response_length"), offsetof(struct sample, response_length)},
	{STR("non_generation_time"),
	 offsetof(struct sample, non_generation_time)},
	{STR("meta_info"), offsetof(struct sample, meta_info)},
	{STR("is_aside"), offsetof(struct sample, is_aside)},
	{STR("loss_mask"), offsetof(struct sample, loss_mask)},
};

/* The members of a trace carrier on a line of its own. */
static const struct str carrier_keys[] = {STR("events"), STR("trace_id"),
					  STR("attempt"), STR("sample_id"),
					  STR("group_id")};

enum {
	FIELDS = ARRAY_SIZE(fields),
	BUILT = FIELDS - 1, /* all except the loss mask */
	CARRIER_KEYS = ARRAY_SIZE(carrier_keys)
};

const struct str sample_event_members[SAMPLE_EVENT_MEMBERS] = {
	STR("type"),	STR("name"),	       STR("ts"),    STR("attempt"),
	STR("span_id"), STR("parent_span_id"), STR("attrs"), STR("request"),
};

_Static_assert(BUILT + CARRIER_KEYS == SAMPLE_KEYS, "the keys that are wanted");

struct value_filter sample_filter(struct str wanted[SAMPLE_KEYS])
{
	for (size_t i = 0; i < BUILT; i++)
		wanted[i] = fields[i].key;
	for (size_t i = 0; i < CARRIER_KEYS; i++)
		wanted[BUILT + i] = carrier_keys[i];
	return (struct value_filter){.wanted = wanted,
				     .count = SAMPLE_KEYS,
				     .summed = fields[BUILT].key,
				     .records = STR("trace"),
				     .list = STR("events"),
				     .members = sample_event_members,
				     .n_members = SAMPLE_EVENT_MEMBERS};
}

void sample_release_events(const struct sample *sample)
{
	if (sample->records != NULL)
		value_records_release(sample->records);
}

struct value sample_fields(struct value v, size_t part)
{
	if (v.kind == VALUE_OBJECT)
		v = v.object->state;
	if (v.kind == VALUE_TUPLE && v.items->n > part)
		return v.items->v[part];
	return part == 0 ? v : (struct value){.kind = VALUE_ABSENT};
}

static void take_fields(struct sample *sample, struct value dict)
{
	if (dict.kind != VALUE_DICT)
		return;
	for (size_t i = 0; i < FIELDS; i++) {
		struct value v = value_get(dict, fields[i].key.p);

		if (v.kind != VALUE_ABSENT)
			*(struct value *)((char *)sample + fields[i].offset) =
				v;
	}
}

/* A bare trace carrier is a sample with nothing else. */
static void take_carrier(struct sample *sample, struct value dict)
{
	struct value events = value_get(dict, "events");

	if (sample->trace.kind != VALUE_ABSENT ||
	    (events.kind != VALUE_LIST && events.kind != VALUE_TUPLE))
		return;
	sample->trace = dict;
	if (sample->index.kind == VALUE_ABSENT)
		sample->index = value_get(dict, "sample_id");
	if (sample->group_index.kind == VALUE_ABSENT)
		sample->group_index = value_get(dict, "group_id");
}

/*
 * The value of an enum's member. It is pickled as Status('completed'), or by
 * Python 3.11.2 as getattr(Status, 'COMPLETED'), with only the name: slime's
 * names are the values in upper case.
 */
static struct value enum_value(struct arena *a, struct value v)
{
	struct value args, last;
	struct str text;
	char *lower;

	if (v.kind != VALUE_OBJECT || v.object->args.kind != VALUE_TUPLE)
		return v;
	args = v.object->args;
	last = args.items->n > 0 ? args.items->v[args.items->n - 1] : v;
	if (args.items->n == 1 && last.kind != VALUE_OBJECT)
		return last;
	if (last.kind != VALUE_STR || v.object->callable.kind != VALUE_GLOBAL ||
	    !str_is(v.object->callable.global->name, "getattr"))
		return v;
	text = arena_str(a, value_text(last));
	if (text.p == NULL)
		return v;
	lower = (char *)text.p;
	for (size_t i = 0; i < text.n; i++)
		if (lower[i] >= 'A' && lower[i] <= 'Z')
			lower[i] = (char)(lower[i] + ('a' - 'A'));
	return value_str(text);
}

/* Turn a loss mask that the reader built into one that it summed. */
static struct value summed(struct arena *a, struct value mask)
{
	struct value sum = {.kind = VALUE_SKIPPED};

	if (mask.kind != VALUE_LIST && mask.kind != VALUE_TUPLE)
		return mask;
	sum.skipped = arena_array(a, 1, sizeof(*sum.skipped));
	if (sum.skipped == NULL)
		return sum;
	sum.skipped->count = mask.items->n;
	for (uint32_t i = 0; i < mask.items->n; i++) {
		double number;

		if (value_to_float(mask.items->v[i], &number))
			sum.skipped->sum += number;
	}
	return sum;
}

void sample_dicts(const struct sample *sample, struct value dicts[SAMPLE_DICTS])
{
	struct value v = sample->whole;

	dicts[0] = (struct value){.kind = VALUE_ABSENT};
	if (v.kind == VALUE_OBJECT) /* of a subclass of dict */
		dicts[0] = v.object->dict;
	dicts[1] = sample_fields(v, 0);
	dicts[2] = sample_fields(v, 1);
}

struct value sample_field(const struct sample *sample, const char *key)
{
	struct value dicts[SAMPLE_DICTS];
	struct value found = {.kind = VALUE_ABSENT};

	sample_dicts(sample, dicts);
	for (size_t i = SAMPLE_DICTS; i-- > 0 && found.kind == VALUE_ABSENT;)
		found = value_get(dicts[i], key);
	return found;
}

void sample_from(struct sample *sample, struct value v)
{
	struct value dicts[SAMPLE_DICTS];

	memset(sample, 0, sizeof(*sample));
	sample->whole = v;
	sample_dicts(sample, dicts);
	for (size_t i = 0; i < SAMPLE_DICTS; i++)
		take_fields(sample, dicts[i]);
	take_carrier(sample, v);
}

void sample_make_regular(struct sample *sample, struct arena *a)
{
	sample->index = value_plain(sample->index);
	sample->group_index = value_plain(sample->group_index);
	sample->reward = value_plain(sample->reward);
	sample->status = enum_value(a, sample->status);
	sample->loss_mask = summed(a, sample->loss_mask);
}

struct sample sample_read(struct value v, struct arena *a)
{
	struct sample sample;

	sample_from(&sample, v);
	sample_make_regular(&sample, a);
	return sample;
}
