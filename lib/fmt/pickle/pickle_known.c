/*
 * The few standard callables whose result is plain data. Any other call in a
 * pickle becomes an inert object.
 */
#include <stdio.h>

#include "base/array.h"
#include "fmt/pickle/pickle_parts.h"
#include "fmt/value/value_make.h"

static const struct value absent = {.kind = VALUE_ABSENT};

static struct value first_of(struct value args)
{
	if (args.kind == VALUE_TUPLE && args.items->n > 0)
		return args.items->v[0];
	return absent;
}

/* dict(), dict({...}), OrderedDict([[key, value], ...]), defaultdict(f) */
static struct value make_dict(struct pickle *r, struct value args)
{
	struct value from = first_of(args);
	struct value dict;

	if (from.kind == VALUE_DICT)
		return from;
	dict = value_new(pickle_arena(r), VALUE_DICT, 0);
	if (dict.kind == VALUE_ABSENT || from.kind != VALUE_LIST)
		return dict;
	dict.items->depth = from.items->depth;
	for (uint32_t i = 0; i < from.items->n; i++) {
		struct value pair = from.items->v[i];

		if ((pair.kind == VALUE_LIST || pair.kind == VALUE_TUPLE) &&
		    pair.items->n == 2 &&
		    !value_push_all(pickle_arena(r), dict, pair.items->v, 2))
			return absent;
	}
	return dict;
}

/* set(list), list(tuple), ...: the same elements, another kind. */
static struct value make_sequence(struct pickle *r, struct value args,
				  enum value_kind kind)
{
	struct value from = first_of(args);
	struct value made = value_new(pickle_arena(r), kind, 0);

	if (made.kind == VALUE_ABSENT ||
	    (from.kind != VALUE_LIST && from.kind != VALUE_TUPLE &&
	     from.kind != VALUE_SET))
		return made;
	made.items->depth = from.items->depth;
	if (!value_push_all(pickle_arena(r), made, from.items->v,
			    from.items->n))
		made.kind = VALUE_ABSENT;
	return made;
}

static struct value make_set(struct pickle *r, struct value args)
{
	return make_sequence(r, args, VALUE_SET);
}

static struct value make_list(struct pickle *r, struct value args)
{
	return make_sequence(r, args, VALUE_LIST);
}

static struct value make_tuple(struct pickle *r, struct value args)
{
	return make_sequence(r, args, VALUE_TUPLE);
}

/* Protocol 2 writes bytes as _codecs.encode(text, 'latin1'). */
static struct value make_bytes(struct pickle *r, struct value args)
{
	struct value from = first_of(args);
	uint32_t n = 0;
	char *to;

	if (from.kind == VALUE_BYTES)
		return from;
	if (from.kind != VALUE_STR)
		from = value_str(str_make("", 0));
	to = arena_alloc(pickle_text_arena(r, from.n), from.n);
	if (to == NULL)
		return absent;
	for (uint32_t i = 0; i < from.n; i++) {
		unsigned char c = (unsigned char)from.p[i];

		if (c >= 0x80 && i + 1 < from.n)
			c = (unsigned char)(c << 6 | (from.p[++i] & 63));
		to[n++] = (char)c;
	}
	from = pickle_text_in(r, from.n, to, n);
	if (from.kind == VALUE_STR)
		from.kind = VALUE_BYTES;
	return from;
}

/* Decimal('1.10') becomes its text. */
static struct value make_text(struct pickle *r, struct value args)
{
	(void)r;
	return first_of(args);
}

static const struct known {
	struct str module;
	struct str name;
	struct value (*make)(struct pickle *r, struct value args);
} known_callables[] = {
	{STR("collections"), STR("OrderedDict"), make_dict},
	{STR("collections"), STR("defaultdict"), make_dict},
	{STR("collections"), STR("Counter"), make_dict},
	{STR("collections"), STR("deque"), make_list},
	{STR("builtins"), STR("dict"), make_dict},
	{STR("builtins"), STR("set"), make_set},
	{STR("builtins"), STR("frozenset"), make_set},
	{STR("builtins"), STR("list"), make_list},
	{STR("builtins"), STR("tuple"), make_tuple},
	{STR("builtins"), STR("bytes"), make_bytes},
	{STR("builtins"), STR("bytearray"), make_bytes},
	{STR("_codecs"), STR("encode"), make_bytes},
	{STR("decimal"), STR("Decimal"), make_text},
	{STR("torch"), STR("Size"), make_tuple},
};

static const struct known *find_known(struct value callable)
{
	struct str module;

	module = callable.global->module;
	if (str_is(module, "__builtin__")) /* the Python 2 name */
		module = str_of("builtins");
	for (size_t i = 0; i < ARRAY_SIZE(known_callables); i++)
		if (str_eq(known_callables[i].module, module) &&
		    str_eq(known_callables[i].name, callable.global->name))
			return &known_callables[i];
	return NULL;
}

/* copyreg._reconstructor(class, base, state) and copyreg.__newobj__(class, ...)
 * create an instance of their first argument. */
static struct value class_behind(struct value callable, struct value args)
{
	struct value first = first_of(args);

	if (callable.kind != VALUE_GLOBAL || first.kind != VALUE_GLOBAL)
		return callable;
	if (str_is(callable.global->name, "_reconstructor") ||
	    str_is(callable.global->name, "__newobj__"))
		return first;
	return callable;
}

/* The plain value of callable(args) if it is known; else absent. */
static struct value plain_value(struct pickle *r, struct value callable,
				struct value args)
{
	const struct known *known;

	if (callable.kind != VALUE_GLOBAL)
		return absent;
	if (pickle_is_numpy_scalar(callable) && args.kind == VALUE_TUPLE &&
	    args.items->n == 2)
		return pickle_numpy_scalar(r, args.items->v[0],
					   args.items->v[1]);
	known = find_known(callable);
	return known == NULL ? absent : known->make(r, args);
}

static bool is_container(struct value v)
{
	return v.kind == VALUE_LIST || v.kind == VALUE_TUPLE ||
	       v.kind == VALUE_SET || v.kind == VALUE_DICT;
}

/* Record the name of an object's callable, except torch's and numpy's, which
 * are reported elsewhere. Names beyond the maximum are dropped. */
static void note_class(struct pickle *r, struct value callable)
{
	enum { CLASSES_MAX = 64, NAME_MAX_BYTES = 256 };
	char text[NAME_MAX_BYTES];
	int n;

	if (callable.kind != VALUE_GLOBAL || r->classes.count == CLASSES_MAX ||
	    str_starts(callable.global->module, "torch") ||
	    str_starts(callable.global->module, "numpy"))
		return;
	n = snprintf(text, sizeof(text), "%.*s.%.*s",
		     STR_ARG(callable.global->module),
		     STR_ARG(callable.global->name));
	if (n > 0 && n < NAME_MAX_BYTES)
		intern_add(&r->classes, str_make(text, (size_t)n));
}

struct value pickle_call(struct pickle *r, struct value callable,
			 struct value args)
{
	struct value plain = plain_value(r, callable, args);
	struct value_object *object;

	if (is_container(plain) && !r->level.open)
		plain.items->kept = true;
	if (plain.kind != VALUE_ABSENT)
		return plain;
	object = arena_array(pickle_arena(r), 1, sizeof(*object));
	if (object == NULL)
		return absent;
	object->callable = class_behind(callable, args);
	object->args = args;
	/* _reconstructor(class, dict, {...}): how protocols 0 and 1 store the
	 * items of an instance of a subclass of dict. */
	if (object->callable.global != callable.global && args.items->n == 3 &&
	    args.items->v[2].kind == VALUE_DICT)
		object->dict = args.items->v[2];
	object->kept = !r->level.open;
	note_class(r, object->callable);
	if (!pickle_find_number(r, object))
		return absent;
	return (struct value){.kind = VALUE_OBJECT, .object = object};
}
