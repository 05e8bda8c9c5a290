/* The members of OTLP's objects, and attributes as values. */
#include "base/num.h"
#include "rollout/foreign/otlp_parts.h"

enum { VALUES_DEEP = 64 };

static const struct value absent = {.kind = VALUE_ABSENT};

struct value otlp_member(struct value v, const char *camel, const char *snake)
{
	struct value member = value_get(v, camel);

	return member.kind == VALUE_ABSENT ? value_get(v, snake) : member;
}

int64_t otlp_time(struct value v)
{
	int64_t ns = 0;

	if (v.kind == VALUE_INT)
		return v.i;
	if (v.kind == VALUE_STR && num_parse_int(value_text(v), &ns))
		return ns;
	if (v.kind == VALUE_FLOAT && fabs(v.f) < 9e18)
		return (int64_t)v.f;
	return 0;
}

static struct value any_value(struct arena *a, struct value v, int depth);

static struct value list_of(struct arena *a, struct value array, int depth)
{
	struct value values = member_of_kind(array, "values", VALUE_LIST);
	struct value list = value_new(a, VALUE_LIST, 4);

	for (uint32_t i = 0; values.kind == VALUE_LIST && i < values.items->n;
	     i++)
		if (list.kind == VALUE_ABSENT ||
		    !value_push(a, list,
				any_value(a, values.items->v[i], depth + 1)))
			return absent;
	return list;
}

static struct value dict_of(struct arena *a, struct value pairs, int depth)
{
	struct value dict = value_new(a, VALUE_DICT, 8);

	for (uint32_t i = 0; pairs.kind == VALUE_LIST && i < pairs.items->n;
	     i++) {
		struct value pair = pairs.items->v[i];
		struct value key = member_text(pair, "key");

		if (key.kind != VALUE_STR)
			continue;
		if (dict.kind == VALUE_ABSENT || !value_push(a, dict, key) ||
		    !value_push(a, dict,
				any_value(a, value_get(pair, "value"),
					  depth + 1)))
			return absent;
	}
	return dict;
}

static struct value int_of(struct value v)
{
	int64_t i;

	if (v.kind == VALUE_STR && num_parse_int(value_text(v), &i))
		return value_int(i);
	return v;
}

static struct value double_of(struct value v)
{
	double d;

	if (v.kind != VALUE_STR)
		return v;
	if (num_parse_double(value_text(v), &d))
		return value_float(d);
	if (value_is_str(v, "Infinity"))
		return value_float(INFINITY);
	return value_float(value_is_str(v, "-Infinity") ? -INFINITY : NAN);
}

/* An AnyValue; what is empty or too deep is None. */
static struct value any_value(struct arena *a, struct value v, int depth)
{
	struct value inner = otlp_member(v, "stringValue", "string_value");

	if (depth > VALUES_DEEP)
		return value_none();
	if (inner.kind != VALUE_ABSENT)
		return inner;
	inner = otlp_member(v, "boolValue", "bool_value");
	if (inner.kind != VALUE_ABSENT)
		return inner;
	inner = otlp_member(v, "intValue", "int_value");
	if (inner.kind != VALUE_ABSENT)
		return int_of(inner);
	inner = otlp_member(v, "doubleValue", "double_value");
	if (inner.kind != VALUE_ABSENT)
		return double_of(inner);
	inner = otlp_member(v, "arrayValue", "array_value");
	if (inner.kind == VALUE_DICT)
		return list_of(a, inner, depth);
	inner = otlp_member(v, "kvlistValue", "kvlist_value");
	if (inner.kind == VALUE_DICT)
		return dict_of(a, member_of_kind(inner, "values", VALUE_LIST),
			       depth);
	inner = otlp_member(v, "bytesValue", "bytes_value");
	return inner.kind == VALUE_ABSENT ? value_none() : inner;
}

struct value otlp_attrs(struct arena *a, struct value v)
{
	return dict_of(a, member_of_kind(v, "attributes", VALUE_LIST), 0);
}
