#include "fmt/value/value_size.h"

/* Writers use some 250 bytes of stack per level. */
_Static_assert(LIMIT_DEPTH_WRITTEN <= 20000,
	       "at most 20,000 levels fit a stack of 8 MiB");

static const struct limit deep = {LIMIT_DEPTH_WRITTEN, "levels",
				  "LIMIT_DEPTH_WRITTEN"};
static const struct limit large = {LIMIT_STRING, NULL, "LIMIT_STRING"};
static const struct limit many = {LIMIT_SAMPLE, NULL, "LIMIT_SAMPLE"};

static const struct limit *add(uint64_t *size, struct value v, int depth);

static const struct limit *add_items(uint64_t *size, struct value_items *items,
				     int depth)
{
	const struct limit *passed = NULL;

	if (depth > LIMIT_DEPTH_WRITTEN)
		return &deep;
	if (!value_enter(items))
		return NULL;
	for (uint32_t i = 0; i < items->n && passed == NULL; i++)
		passed = add(size, items->v[i], depth);
	value_leave(items);
	return passed;
}

/* An object is written as the name of its callable. */
static size_t name_size(struct value v)
{
	if (v.kind == VALUE_OBJECT && v.object->text.n > 0)
		return v.object->text.n;
	if (v.kind == VALUE_OBJECT)
		v = v.object->callable;
	return v.kind == VALUE_GLOBAL ? v.global->module.n + v.global->name.n
				      : 0;
}

/* depth: containers around v. */
static const struct limit *add(uint64_t *size, struct value v, int depth)
{
	const struct limit *passed = NULL;

	*size += sizeof(v);
	switch ((enum value_kind)v.kind) {
	case VALUE_STR:
	case VALUE_BYTES:
	case VALUE_BIGINT:
		*size += v.n;
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_DICT:
		passed = add_items(size, v.items, depth + 1);
		break;
	case VALUE_GLOBAL:
	case VALUE_OBJECT:
		*size += name_size(v);
		break;
	default:
		break;
	}
	return passed == NULL && *size > LIMIT_STRING ? &large : passed;
}

const struct limit *value_size_add_slowly(uint64_t *size, struct value v)
{
	uint64_t own = 0;
	const struct limit *passed = add(&own, v, 0);

	*size += own;
	if (passed == NULL && *size > LIMIT_SAMPLE)
		passed = &many;
	return passed;
}
