/* The attributes of OTLP's objects as values. */
#include "rollout/foreign/otlp_attrs.h"
#include "base/num.h"

enum { VALUES_DEEP = 64 };

static const struct value absent = {.kind = VALUE_ABSENT};

/* The members of an AnyValue that are read, in both spellings. */
enum {
	STRING_VALUE,
	BOOL_VALUE,
	INT_VALUE,
	DOUBLE_VALUE,
	ARRAY_VALUE,
	KVLIST_VALUE,
	BYTES_VALUE,
	VALUES
};

static const struct json_form any_form;

static const struct json_member array_members[] = {
	[0] = {.key = JSON_KEY("values"), .form = &any_form}};
static const struct json_form array_form = JSON_FORM(array_members);

static const struct json_member list_members[] = {
	[0] = {.key = JSON_KEY("values"), .form = &otlp_attr_form}};
static const struct json_form list_form = JSON_FORM(list_members);

static const struct json_member any_members[2 * VALUES] = {
	[STRING_VALUE] = {.key = JSON_KEY("stringValue")},
	[BOOL_VALUE] = {.key = JSON_KEY("boolValue")},
	[INT_VALUE] = {.key = JSON_KEY("intValue")},
	[DOUBLE_VALUE] = {.key = JSON_KEY("doubleValue")},
	[ARRAY_VALUE] = {.key = JSON_KEY("arrayValue"), .form = &array_form},
	[KVLIST_VALUE] = {.key = JSON_KEY("kvlistValue"), .form = &list_form},
	[BYTES_VALUE] = {.key = JSON_KEY("bytesValue")},
	[VALUES + STRING_VALUE] = {.key = JSON_KEY("string_value")},
	[VALUES + BOOL_VALUE] = {.key = JSON_KEY("bool_value")},
	[VALUES + INT_VALUE] = {.key = JSON_KEY("int_value")},
	[VALUES + DOUBLE_VALUE] = {.key = JSON_KEY("double_value")},
	[VALUES + ARRAY_VALUE] = {.key = JSON_KEY("array_value"),
				  .form = &array_form},
	[VALUES + KVLIST_VALUE] = {.key = JSON_KEY("kvlist_value"),
				   .form = &list_form},
	[VALUES + BYTES_VALUE] = {.key = JSON_KEY("bytes_value")},
};
static const struct json_form any_form = JSON_FORM(any_members);

enum { KEY, VALUE, ATTR_MEMBERS };

static const struct json_member attr_members[ATTR_MEMBERS] = {
	[KEY] = {.key = JSON_KEY("key")},
	[VALUE] = {.key = JSON_KEY("value"), .form = &any_form},
};
const struct json_form otlp_attr_form = JSON_FORM(attr_members);

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

/* Where attributes are built. */
struct attr_maker {
	struct arena *arena;
	struct otlp *keeper; /* NULL: texts live long enough */
	bool failed;	     /* out of memory */
};

static struct value any_value(struct attr_maker *m, struct value v, int depth);

/* A scalar value; else none. */
static struct value scalar(struct attr_maker *m, struct value v)
{
	struct str text;

	if (v.kind >= VALUE_LIST)
		return value_none();
	if (m->keeper == NULL ||
	    (v.kind != VALUE_STR && v.kind != VALUE_BIGINT))
		return v;
	text = arena_str(m->arena, value_text(v));
	m->failed |= text.p == NULL;
	v.p = text.p;
	return v;
}

static struct value key_of(struct attr_maker *m, struct value key,
			   uint32_t position)
{
	uint32_t number;

	if (m->keeper == NULL)
		return key;
	number = otlp_number(m->keeper, value_text(key), m->keeper->last_keys,
			     position);
	m->failed |= number == INTERN_FAILED;
	return number == INTERN_FAILED ? absent
				       : otlp_text_value(m->keeper, number);
}

static void push(struct attr_maker *m, struct value container, struct value v)
{
	m->failed |= container.kind == VALUE_ABSENT ||
		     !value_push(m->arena, container, v);
}

static struct value list_of(struct attr_maker *m, struct value values,
			    int depth)
{
	uint32_t n = values.kind == VALUE_LIST ? values.items->n : 0;
	struct value list = value_new(m->arena, VALUE_LIST, n);

	m->failed |= list.kind == VALUE_ABSENT;
	for (uint32_t i = 0; !m->failed && i < n; i++)
		push(m, list, any_value(m, values.items->v[i], depth + 1));
	return list;
}

static struct value dict_of(struct attr_maker *m, struct value pairs, int depth)
{
	uint32_t n = pairs.kind == VALUE_LIST ? pairs.items->n : 0;
	struct value dict = value_new(m->arena, VALUE_DICT, 2 * n);

	m->failed |= dict.kind == VALUE_ABSENT;
	for (uint32_t i = 0; !m->failed && i < n; i++) {
		struct value pair = pairs.items->v[i];
		struct value key = json_form_get(pair, KEY);

		if (key.kind != VALUE_STR)
			continue;
		push(m, dict, key_of(m, key, i));
		push(m, dict,
		     any_value(m, json_form_get(pair, VALUE), depth + 1));
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

/* An AnyValue; an empty or too deep one is None. */
static struct value any_value(struct attr_maker *m, struct value v, int depth)
{
	struct value inner;

	if (v.kind != VALUE_TUPLE || depth > VALUES_DEEP)
		return value_none();
	inner = otlp_pick(v.items->v, STRING_VALUE, VALUES + STRING_VALUE);
	if (inner.kind != VALUE_ABSENT)
		return scalar(m, inner);
	inner = otlp_pick(v.items->v, BOOL_VALUE, VALUES + BOOL_VALUE);
	if (inner.kind != VALUE_ABSENT)
		return scalar(m, inner);
	inner = otlp_pick(v.items->v, INT_VALUE, VALUES + INT_VALUE);
	if (inner.kind != VALUE_ABSENT)
		return scalar(m, int_of(inner));
	inner = otlp_pick(v.items->v, DOUBLE_VALUE, VALUES + DOUBLE_VALUE);
	if (inner.kind != VALUE_ABSENT)
		return scalar(m, double_of(inner));
	inner = otlp_pick(v.items->v, ARRAY_VALUE, VALUES + ARRAY_VALUE);
	if (inner.kind == VALUE_TUPLE)
		return list_of(m, inner.items->v[0], depth);
	inner = otlp_pick(v.items->v, KVLIST_VALUE, VALUES + KVLIST_VALUE);
	if (inner.kind == VALUE_TUPLE)
		return dict_of(m, inner.items->v[0], depth);
	inner = otlp_pick(v.items->v, BYTES_VALUE, VALUES + BYTES_VALUE);
	return inner.kind == VALUE_ABSENT ? value_none() : scalar(m, inner);
}

struct value otlp_attrs(struct arena *a, struct value list)
{
	struct attr_maker m = {.arena = a};
	struct value dict = absent;

	if (list.kind == VALUE_LIST && list.items->n > 0)
		dict = dict_of(&m, list, 0);
	return m.failed ? absent : dict;
}

bool otlp_keep_attrs(struct otlp *o, struct value list, struct value *attrs)
{
	struct attr_maker m = {.arena = &o->base.kept, .keeper = o};

	*attrs = absent;
	if (list.kind == VALUE_LIST && list.items->n > 0)
		*attrs = dict_of(&m, list, 0);
	return !m.failed;
}

struct str otlp_name(struct value name, struct value attrs)
{
	struct str text;
	const char *at;

	if (name.kind != VALUE_STR)
		return str_make("", 0);
	text = value_text(name);
	at = memchr(text.p, '(', text.n);
	if (at != NULL)
		at = memmem(text.p, text.n, "(host:", 6);
	if (at != NULL)
		text.n = (size_t)(at - text.p);
	if (value_get(attrs, "rid").kind == VALUE_ABSENT)
		return str_trim(text);
	at = memmem(text.p, text.n, "Req ", 4);
	if (at != NULL && (at == text.p || at[-1] == ' '))
		text.n = (size_t)(at + 3 - text.p);
	return str_trim(text);
}
